import type { Consent, ConsentSnapshot, Notice, RecordReceipt } from '../../headless.ts';

/** All that a view shows of the consent, at one moment. */
export interface ViewFacts {
  readonly snapshot: ConsentSnapshot;
  /** The notice, once it is there. */
  readonly notice: Notice | null;
  readonly receipt: RecordReceipt | null;
  /** What holds: the names of the states. */
  readonly states: ReadonlySet<string>;
  /** The words of the notice, by the name of their place; those that are not known yet are missing. */
  readonly words: Readonly<Record<string, string | undefined>>;
  /** Of the notice's words; empty while there are none. */
  readonly language: string;
}

/** The names of the states, for `:state()` and for `data-svc-when`. */
export const stateNames = [
  'asking',
  'decided',
  'accepted',
  'rejected',
  'custom',
  'changed',
  'signal',
  'receipt',
  'failed',
] as const;

export type StateName = (typeof stateNames)[number];

/** The names of the places for words, for `data-svc-text`. */
export const wordNames = ['name', 'controller', 'domain', 'version', 'decided-at', 'decided-version'] as const;

export interface FactsSource {
  readonly consent: Pick<Consent, 'readReceipt'>;
  readonly snapshot: ConsentSnapshot;
  readonly notice: Notice | null;
  /** Whether the notice was asked for and cannot be had. */
  readonly isFailed: boolean;
}

/** What is known now. A returning visitor's notice is not asked for: the kept receipt has its words. */
export function readFacts({ consent, snapshot, notice, isFailed }: FactsSource): ViewFacts {
  const receipt = consent.readReceipt();
  const answered = receipt && {
    ...receipt.notice,
    controllerName: receipt.controller.name,
    purposes: receipt.purposes,
  };
  const shown = notice ?? answered;
  const holds: Readonly<Record<StateName, boolean>> = {
    asking: snapshot.isAsking,
    decided: snapshot.state !== null,
    ...nameChoice(snapshot, [notice, answered]),
    changed: snapshot.isAsking && notice !== null && (snapshot.decidedVersion ?? notice.version) < notice.version,
    signal: snapshot.hasPrivacySignal,
    receipt: receipt !== null,
    failed: isFailed,
  };
  return {
    snapshot,
    notice,
    receipt,
    states: new Set(stateNames.filter((name) => holds[name])),
    words: {
      name: shown?.name,
      controller: shown?.controllerName,
      domain: shown?.domain,
      version: shown && String(shown.version),
      'decided-at': snapshot.decidedAt ?? undefined,
      'decided-version': snapshot.decidedVersion === null ? undefined : String(snapshot.decidedVersion),
    } as ViewFacts['words'],
    language: shown?.language ?? '',
  };
}

type Answered = Pick<Notice, 'version' | 'purposes'> | null;

/** Which of the three a decision is can be said by who knows what could be refused. */
function nameChoice(
  { state, decidedVersion }: ConsentSnapshot,
  known: readonly Answered[],
): Readonly<Record<'accepted' | 'rejected' | 'custom', boolean>> {
  const notice = known.find((one) => one?.version === decidedVersion);
  const optional = notice?.purposes.filter(({ required }) => !required) ?? [];
  const granted = optional.filter(({ key }) => state?.purposes[key] === true).length;
  const isKnown = state !== null && notice != null;
  return {
    accepted: isKnown && granted === optional.length,
    rejected: isKnown && granted === 0 && optional.length > 0,
    custom: isKnown && granted > 0 && granted < optional.length,
  };
}
