import { readAddress, refuseValue, reportProblem } from './attributes.ts';
import { english, type Messages } from './messages.ts';

const TIMEOUT = 15_000;

/** The public data of a trust center for widgets. */
export interface Trust {
  readonly name: string;
  readonly slug: string;
  /** Display names. */
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
  /** Undefined for English. */
  readonly words?: Messages | undefined;
}

/** The server's answer: the trust data, false if nothing is published, null if it is unusable. */
export type Answer = Trust | false | null;

/** The addresses of a tenant's trust data and trust page. */
export interface TrustSource {
  readonly tenant: string;
  readonly data: string;
  readonly page: string;
}

/** Builds a tenant's addresses. The API base may be relative and have a path; query and fragment are ignored. */
export function locateTrust(tenant: string | null, apiBase: string | null, locale: string): TrustSource | undefined {
  if (!tenant || !/^[a-z\d-]+$/.test(tenant)) {
    refuseValue('tenant', tenant, 'the slug of a tenant');
    return undefined;
  }
  const address = readAddress('api-base', apiBase) || scriptOrigin();
  const base = address.match(/^[^/?#]*([/]+[^/?#]+)*/)?.[0];
  if (base === 'null') {
    // The origin of a file or a sandboxed frame.
    refuseValue('api-base', apiBase, 'an http(s) address');
    return undefined;
  }
  const language = /^en\b/.test(locale) ? '' : `?language=${locale}`;
  return { tenant, data: `${base}/v1/public/trust/${tenant}/widget${language}`, page: `${base}/trust/${tenant}` };
}

const answers: Record<string, Promise<Answer>> = {};

/** Fetches each address once per page; after a failure, which is logged, the next caller retries. */
export async function loadTrust(source: TrustSource): Promise<Answer> {
  const { data } = source;
  answers[data] ??= fetchTrust(source).catch(({ message }) => {
    delete answers[data];
    reportProblem(`no trust data from ${data} (${message}). Is it published, and allowed by connect-src?`);
    return message === '404' ? false : null;
  });
  return answers[data];
}

async function fetchTrust({ data, tenant }: TrustSource): Promise<Trust> {
  const response = await fetch(data, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${response.status}`);
  return parseTrust(await response.json(), tenant);
}

/** Parses a server response as trust data of this tenant; throws for anything else. */
function parseTrust(body: unknown, tenant: string): Trust {
  const { data } = body as { readonly data: Trust };
  const { name, slug, achievedFrameworks, updatedAt, words } = data;
  const isWhole = slug === tenant && isText(name, 200) && isList(achievedFrameworks) && isTime(updatedAt);
  if (!isWhole || (words && !isMessages(words))) throw new TypeError('a field is odd');
  return data;
}

function isText(value: unknown, maximum: number): value is string {
  return typeof value === 'string' && /\S/.test(value) && value.length <= maximum;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 50 && value.every((item) => isText(item, 100));
}

/** As the server writes times. A page may have replaced `toISOString`. */
function isTime(value: unknown): value is string {
  return /^[\d-]{10}T[\d:.]{12}Z$/.test(`${value}`) && Date.parse(`${value}`) > 0;
}

function isMessages(words: Messages): boolean {
  new Intl.Locale(words.language); // Throws for an invalid tag.
  return Object.keys(english).every((key) => isText(words[key as keyof Messages], 100));
}

// Read while the file first runs: later, `currentScript` is another script or null. Through the prototype's getter,
// because an image with that name would shadow it on `document`. Modules have no `currentScript`, and the built script has
// no `import.meta` (its build replaces it with undefined): as a module, it is the tag with its name.
const named = 'script[src*="svc-trust-badge.js"]';
const script =
  globalThis.document &&
  (Reflect.get(Document.prototype, 'currentScript', document) ??
    Document.prototype.querySelector.call(document, named));
const address = import.meta.url || (script as HTMLScriptElement | null)?.src;

/** The origin of this script: that of the API unless `api-base` is set. */
function scriptOrigin(): string {
  return /^http/.test(address ?? '') ? new URL(address as string).origin : location.origin;
}
