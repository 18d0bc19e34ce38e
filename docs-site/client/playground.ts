// Signs and verifies webhooks in the page, with the code that receivers on edge platforms run.
import { verifySignature, WebhookVerificationError } from '@svc/webhook-verify';
import { createSignedRequest } from '@svc/webhook-verify/testing';
import { settle } from './live-fields.ts';

const place = document.querySelector<HTMLElement>('[data-playground]');
if (place !== null) startPlayground(place);

function startPlayground(playground: HTMLElement): void {
  const read = (id: string) => (document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement).value;
  const write = (id: string, value: string) => {
    (document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement).value = value;
  };
  const output = (name: string) => playground.querySelector(`[data-output=${name}]`) as HTMLElement;
  const sign = async () => {
    output('sign').textContent = await signBody({
      body: read('sign-body'),
      secret: read('sign-secret'),
      id: read('sign-id'),
      time: read('sign-time'),
    });
  };
  const verify = async () => {
    const verdict = await judge({
      headers: read('verify-headers'),
      body: read('verify-body'),
      secrets: read('verify-secrets'),
      time: read('verify-time'),
      tolerance: read('verify-tolerance'),
    });
    output('verify').dataset.verdict = verdict.kind;
    output('verify').textContent = verdict.text;
  };
  for (const [name, action] of [
    ['sign', sign],
    ['verify', verify],
  ] as const) {
    const form = playground.querySelector(`[data-form=${name}]`) as HTMLFormElement;
    (form.firstElementChild as HTMLFieldSetElement).disabled = false;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener(
      'input',
      settle(() => void action()),
    );
    void action();
  }
  playground.querySelector('[data-action=now]')?.addEventListener('click', () => {
    write('sign-time', String(Math.floor(Date.now() / 1000)));
    void sign();
  });
  playground.querySelector('[data-action=take]')?.addEventListener('click', () => {
    write('verify-headers', output('sign').textContent ?? '');
    write('verify-body', read('sign-body'));
    write('verify-secrets', read('sign-secret'));
    write('verify-time', read('sign-time'));
    void verify().then(() => document.getElementById('verify')?.scrollIntoView());
  });
}

const names: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type',
  'user-agent': 'User-Agent',
  'svc-event': 'Svc-Event',
  'svc-delivery': 'Svc-Delivery',
  'svc-signature': 'Svc-Signature',
};

async function signBody({
  body,
  secret,
  id,
  time,
}: Readonly<Record<'body' | 'secret' | 'id' | 'time', string>>): Promise<string> {
  try {
    const seconds = readSeconds(time, 'The time');
    const { headers } = await createSignedRequest({
      event: readType(body),
      secrets: secret.trim(),
      deliveryId: id.trim(),
      now: () => seconds * 1000,
    });
    // The event type is read from the body; the signature covers the exact text.
    const signed = await createSignedRequest({
      event: body,
      secrets: secret.trim(),
      deliveryId: id.trim(),
      now: () => seconds * 1000,
    });
    const shown = { ...signed.headers, 'svc-event': headers['svc-event'] ?? 'webhook.test' };
    return Object.entries(shown)
      .map(([name, value]) => `${names[name] ?? name}: ${value}`)
      .join('\n');
  } catch (error) {
    return explain(error);
  }
}

/** The event in a body; empty if there is none. */
function readType(body: string): object {
  try {
    const event: unknown = JSON.parse(body);
    return typeof event === 'object' && event !== null ? event : {};
  } catch {
    return {};
  }
}

interface Verdict {
  readonly kind: 'genuine' | 'refused' | 'waiting';
  readonly text: string;
}

type Received = Readonly<Record<'headers' | 'body' | 'secrets' | 'time' | 'tolerance', string>>;

async function judge({ headers, body, secrets, time, tolerance }: Received): Promise<Verdict> {
  if (headers.trim() === '') return { kind: 'waiting', text: 'Paste headers and body.' };
  try {
    const signatures = readHeader(headers, 'svc-signature');
    const list = secrets.split(/\s+/).filter(Boolean);
    const toleranceSeconds = readSeconds(tolerance, 'The tolerance');
    const now = time.trim() === '' ? Date.now() : readSeconds(time, 'The time') * 1000;
    const { secretIndex, timestamp } = await verifySignature({
      body,
      signature: signatures.length > 1 ? signatures : signatures[0],
      secrets: list,
      toleranceSeconds,
      now: () => now,
    });
    const which = list.length > 1 ? ` Secret number ${secretIndex + 1} matches.` : '';
    return { kind: 'genuine', text: `Genuine: signed ${new Date(timestamp * 1000).toISOString()}.${which}` };
  } catch (error) {
    return { kind: 'refused', text: `Refused: ${explain(error)}` };
  }
}

/** The values of a header in the lines of a request. */
function readHeader(lines: string, wanted: string): readonly string[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return line.slice(0, colon).trim().toLowerCase() === wanted ? [line.slice(colon + 1).trim()] : [];
  });
}

function readSeconds(text: string, what: string): number {
  if (!/^\d{1,12}$/.test(text.trim())) throw new RangeError(`${what} is a number of seconds.`);
  return Number(text);
}

function explain(error: unknown): string {
  if (WebhookVerificationError.isInstance(error)) return `${error.code}. ${error.message}`;
  if (error instanceof RangeError) return error.message;
  throw error;
}
