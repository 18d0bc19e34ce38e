import type { ReceiptSource } from './receipt-store.ts';

/** The form of the receipts that this version writes. */
const SCHEMA = 'svc-consent-receipt/1';

export interface ReceiptPurpose {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly status: 'granted' | 'refused';
}

/** Where the record stands in the consent ledger of the controller. */
export interface ReceiptProof {
  readonly recordId: string;
  /** When the server took the record. */
  readonly recordedAt: string;
  /** SHA-256 of the notice's content, as the server keeps it: it proves what was shown. */
  readonly noticeContentHash: string;
  /** SHA-256 over the entry before and the record. */
  readonly ledgerHash: string;
  readonly prevLedgerHash: string | null;
}

/**
 * What the visitor keeps of a decision, with the fields that ISO/IEC TS 27560:2023 wants of a consent receipt: form, record,
 * subject, controller, notice, language, purposes with their status, and the event with its time and method.
 */
export interface RecordReceipt {
  readonly schema: typeof SCHEMA;
  /** A pseudonym: random, made by this browser. */
  readonly subjectId: string;
  readonly controller: { readonly name: string };
  readonly notice: {
    readonly id: string;
    readonly name: string;
    readonly version: number;
    readonly language: string;
    readonly domain: string;
  };
  readonly purposes: readonly ReceiptPurpose[];
  readonly event: { readonly method: string; readonly at: string };
  /** Null until the server has answered. */
  readonly proof: ReceiptProof | null;
  readonly verification: {
    /** Where the public key of the ledger stands. Keep the line that is there. */
    readonly publicKey: string;
    readonly how: string;
  };
}

const HOW =
  'Ask the controller for the proof of inclusion of the record proof.recordId in the consent ledger. With it and the public key, ' +
  'any RFC 6962 verifier shows that proof.ledgerHash is an entry of the signed ledger and was not changed since.';

/** The receipt of a decision that the server does not know of yet. */
export function draftReceipt({ notice, record, address }: ReceiptSource): RecordReceipt {
  const { id, name, version, language, domain } = notice;
  const publicKey = address.replace(/\/v1\/public\/.*/s, '/.well-known/svc-ledger-key');
  return {
    schema: SCHEMA,
    subjectId: record.subjectId,
    controller: { name: notice.controllerName },
    notice: { id, name, version, language, domain },
    purposes: notice.purposes.map(({ key, label, description, required }) => {
      const isGranted = Object.hasOwn(record.purposes, key) && record.purposes[key] === true;
      return { key, label, description, required, status: isGranted ? 'granted' : 'refused' };
    }),
    event: { method: record.method, at: record.capturedAt },
    proof: null,
    verification: { publicKey, how: HOW },
  };
}

/**
 * The receipt with its proof, from the body of the server's answer to the capture. An answer that speaks of another
 * decision, or lacks a part of the proof, proves nothing: then the receipt stays as it is.
 */
export function proveReceipt(receipt: RecordReceipt, body: unknown): RecordReceipt {
  const { data } = Object(body) as { readonly data?: unknown };
  const { id: recordId, ...record } = Object(data) as Readonly<Record<string, unknown>>;
  const { recordedAt, noticeContentHash, ledgerHash, prevLedgerHash } = record;
  const proof = { recordId, recordedAt, noticeContentHash, ledgerHash, prevLedgerHash };
  return isAbout(receipt, record) && isProof(proof) ? { ...receipt, proof } : receipt;
}

function isAbout(
  { notice, subjectId, event, purposes }: RecordReceipt,
  record: Readonly<Record<string, unknown>>,
): boolean {
  const decided = Object(record.purposes) as Readonly<Record<string, unknown>>;
  return (
    record.noticeId === notice.id &&
    record.noticeVersion === notice.version &&
    record.subjectId === subjectId &&
    record.capturedAt === event.at &&
    Object.keys(decided).length === purposes.length &&
    purposes.every(({ key, status }) => Object.hasOwn(decided, key) && decided[key] === (status === 'granted'))
  );
}

/** Whether a value is a proof in the form of the public API. */
function isProof(value: object): value is ReceiptProof {
  const proof = value as Readonly<Record<string, unknown>>;
  const isHash = (hash: unknown): boolean => /^sha256:[0-9a-f]{64}$/.test(String(hash));
  return (
    typeof proof.recordId === 'string' &&
    Number.isFinite(Date.parse(String(proof.recordedAt))) &&
    /^[0-9a-f]{64}$/.test(String(proof.noticeContentHash)) &&
    isHash(proof.ledgerHash) &&
    (proof.prevLedgerHash === null || isHash(proof.prevLedgerHash))
  );
}
