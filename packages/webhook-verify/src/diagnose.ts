import { constructEvent, type NamedSecret, WebhookVerificationError } from './node.ts';

/** What is known of a captured delivery. */
export interface Capture {
  readonly body: Uint8Array;
  readonly signatures: readonly string[];
  readonly secrets: readonly string[];
  /** When it was received, in milliseconds; null when that is not known, and its age is not judged. */
  readonly receivedAt: number | null;
  readonly toleranceSeconds: number;
}

export interface Diagnosis {
  readonly isGenuine: boolean;
  /** `genuine`, or the code of the error. */
  readonly code: string;
  readonly lines: readonly string[];
  /** `secret 1` is the first; null when it is not genuine, as what follows. */
  readonly secretName: string | null;
  /** When it was signed, in Unix seconds. */
  readonly timestamp: number | null;
  readonly eventId: string | null;
  readonly eventType: string | null;
}

/** What is known of a delivery that is not genuine. */
export function describeFailure(code: string, lines: readonly string[]): Diagnosis {
  return { isGenuine: false, code, lines, secretName: null, timestamp: null, eventId: null, eventType: null };
}

/** Says whether a captured delivery is genuine, and what is wrong when it is not. */
export function diagnose(capture: Capture): Diagnosis {
  const { body, receivedAt, toleranceSeconds } = capture;
  const signature = capture.signatures.length > 1 ? capture.signatures : capture.signatures[0];
  const secrets = capture.secrets.map((secret, index) => ({ name: `secret ${index + 1}`, secret }));
  const age =
    receivedAt === null ? { toleranceSeconds: Number.POSITIVE_INFINITY } : { toleranceSeconds, now: () => receivedAt };
  try {
    const { event, secretName, timestamp } = constructEvent({ body, signature, secrets, ...age });
    return {
      isGenuine: true,
      code: 'genuine',
      lines: [
        `Genuine: signed with ${secretName} at ${new Date(timestamp * 1000).toISOString()}.`,
        `The event ${event.id} is of the type ${event.type}.`,
        ...(receivedAt === null
          ? [
              `Its age was not judged: a receiver takes it within ${toleranceSeconds} seconds of that time (--received).`,
            ]
          : []),
      ],
      secretName,
      timestamp,
      eventId: event.id,
      eventType: event.type,
    };
  } catch (error) {
    if (!WebhookVerificationError.isInstance(error)) throw error;
    const hints = error.code === 'signature_mismatch' ? findRepairs(body, signature as string, secrets) : [];
    return describeFailure(error.code, [`${error.code}: ${error.message}`, ...hints]);
  }
}

/** Tries what usually happens to bodies and secrets: a repair that gives the signature says what went wrong. */
function findRepairs(body: Uint8Array, signature: string, secrets: readonly NamedSecret[]): readonly string[] {
  const found = repairs.filter(({ apply }) => {
    try {
      constructEvent({ body: apply(body), signature, secrets, toleranceSeconds: Number.POSITIVE_INFINITY });
      return true;
    } catch {
      return false;
    }
  });
  return found.map(({ says }) => `It would match if ${says}.`);
}

const repairs: readonly { readonly says: string; readonly apply: (body: Uint8Array) => string }[] = [
  {
    says: 'the line break at the end of the body were not there: the capture has added it',
    apply: (body) => decode(body).replace(/\r?\n$/, ''),
  },
  {
    says: 'the body had no byte order mark: something that writes text files has added it',
    apply: (body) => decode(body).replace(/^\uFEFF/, ''),
  },
  {
    says: 'its line breaks were LF and not CR LF: the body was handled as text',
    apply: (body) => decode(body).replaceAll('\r\n', '\n'),
  },
  {
    says: 'the body were JSON without white space: it was parsed and written again',
    apply: (body) => JSON.stringify(JSON.parse(decode(body))),
  },
];

function decode(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}
