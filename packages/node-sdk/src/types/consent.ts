import type { Time } from './json.ts';
import type { PageParams } from './lists.ts';

/** Only against a published notice can records be captured. */
export type NoticeStatus = 'draft' | 'published' | 'archived';

/** How a subject is known: what `subjectId` is. */
export type SubjectChannel = 'email' | 'phone' | 'subject_id';

/** How a decision was given. */
export type CaptureMethod = 'banner' | 'modal' | 'inline' | 'checkbox' | 'double_opt_in' | 'verbal_recorded';

/** What is decided about each purpose: its key, and whether it is granted. */
export type PurposeChoices = Readonly<Record<string, boolean>>;

/** One thing that data are used for. */
export interface Purpose {
  /** Begins with a letter; at most 64 of A-Z a-z 0-9 _ . -; unlike the others of the notice. */
  readonly key: string;
  /** 1 to 200 characters. */
  readonly label: string;
  /** At most 2,000 characters. */
  readonly description: string;
  /** A required purpose cannot be refused. */
  readonly required: boolean;
}

/** What a visitor is told and asked. */
export interface NoticeContent {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Who is responsible for the data (GDPR Article 4(7)); 1 to 200 characters. */
  readonly controllerName: string;
  /** A BCP 47 tag such as `en` or `pt-BR`. */
  readonly language: string;
  /** The site that the notice may be used on, such as `example.com`; its subdomains are included. */
  readonly domain: string;
  /** 1 to 50. */
  readonly purposes: readonly Purpose[];
}

/** A change of a notice; what is left out stays as it is. At least one field. */
export interface NoticeChange {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** Who is responsible for the data (GDPR Article 4(7)); 1 to 200 characters. */
  readonly controllerName?: string | undefined;
  /** A BCP 47 tag such as `en` or `pt-BR`. */
  readonly language?: string | undefined;
  /** The site that the notice may be used on, such as `example.com`; its subdomains are included. */
  readonly domain?: string | undefined;
  /** All purposes, 1 to 50: the list is replaced whole. */
  readonly purposes?: readonly Purpose[] | undefined;
}

/** A notice as its tenant sees it: the content under edit, and what is published. */
export interface Notice extends NoticeContent {
  readonly id: string;
  readonly status: NoticeStatus;
  /** The latest published version; null before the first. */
  readonly version: number | null;
  /** Whether the content differs from the latest version. */
  readonly hasUnpublishedChanges: boolean;
  readonly recordCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly archivedAt: string | null;
}

/** A published version. It never changes, so its hash proves what was shown. */
export interface NoticeVersion extends NoticeContent {
  readonly version: number;
  /** SHA-256 of the canonical content (RFC 8785), hex. */
  readonly contentHash: string;
  readonly publishedAt: string;
}

/** A notice as a visitor sees it. */
export interface PublicNotice extends NoticeContent {
  readonly id: string;
  readonly version: number;
}

/** Which notices are listed. */
export interface NoticeListParams extends PageParams {
  readonly status?: NoticeStatus | undefined;
  /** Notices of exactly this site. */
  readonly domain?: string | undefined;
  /** Part of the name, the controller or the domain, in any case; at most 200 characters. */
  readonly search?: string | undefined;
}

/** What a subject decided. */
export interface RecordInput {
  /** Who decided, by the id that you know them by; 1 to 256 characters. */
  readonly subjectId: string;
  readonly subjectChannel?: SubjectChannel | undefined;
  /** The address of the subject. Only a keyed hash of it is kept. */
  readonly ip?: string | undefined;
  /** The User-Agent of the subject. Only a keyed hash of it is kept. */
  readonly ua?: string | undefined;
  readonly method?: CaptureMethod | undefined;
  /** At least one purpose of the notice; a required one cannot be false. */
  readonly purposes: PurposeChoices;
  /** When the subject decided, RFC 3339, at most 5 minutes ahead and not before 2000; default: the time of the server. */
  readonly capturedAt?: Time | undefined;
}

/** What is withdrawn. */
export interface WithdrawalInput {
  /** Keys of purposes, 1 to 50; default: all that the record granted and that can be refused. */
  readonly purposes?: readonly string[] | undefined;
  readonly method?: CaptureMethod | undefined;
  /** When the subject withdrew, RFC 3339, at most 5 minutes ahead and not before 2000; default: the time of the server. */
  readonly capturedAt?: Time | undefined;
}

/** What holds for one purpose. */
export interface PurposeState {
  readonly granted: boolean;
  /** The latest record that names the purpose. */
  readonly recordId: string;
}

/** A row of the consent ledger. It never changes. */
export interface ConsentRecord {
  readonly id: string;
  readonly noticeId: string;
  /** The version that the record was given against. */
  readonly noticeVersion: number;
  /** SHA-256 of the content of that version, hex. */
  readonly noticeContentHash: string;
  readonly subjectId: string;
  readonly subjectChannel: SubjectChannel | null;
  readonly kind: 'capture' | 'withdrawal';
  /** The record that a withdrawal turns off. */
  readonly withdrawsRecordId: string | null;
  /** One of {@link CaptureMethod}, or what a page sent to the public capture. */
  readonly method: string | null;
  readonly purposes: PurposeChoices;
  /**
   * The purposes that this record does not name and that earlier records of the subject decided, on this notice and in
   * this space: purpose key to what still holds. With `purposes` it is the state after this record.
   */
  readonly otherPurposes: Readonly<Record<string, PurposeState>>;
  /** Who sent it: a caller with credentials, or a page. */
  readonly source: 'api' | 'public';
  /**
   * Which decisions it counts with: `public` for those of visitors, `api` for all others. A withdrawal is in the space of
   * the record that it withdraws, so its `source` may differ.
   */
  readonly space: 'api' | 'public';
  readonly ipHash: string | null;
  readonly uaHash: string | null;
  /** When the subject decided. */
  readonly capturedAt: string;
  /** When the ledger took it up. */
  readonly recordedAt: string;
  /** The place in the ledger of the tenant, from 1, without gaps. */
  readonly sequence: number;
  /** `sha256:` and the hash over the preceding hash and the canonical record, hex. */
  readonly ledgerHash: string;
  readonly prevLedgerHash: string | null;
}

/** What holds for a subject on one notice, in one space. */
export interface NoticeState {
  readonly noticeId: string;
  /** Purpose key to what holds for it; a purpose never decided is absent. */
  readonly purposes: Readonly<Record<string, PurposeState>>;
}

/** What holds for a subject, the newest notice first. A record changes only the state of its own space. */
export interface SubjectState {
  /** What records captured with credentials say. */
  readonly api: readonly NoticeState[];
  /** What visitors decided on pages. Anyone who knows a subject id can send such a record, so it proves less than `api`. */
  readonly public: readonly NoticeState[];
  /** Whether a space has more states than the 100 listed. */
  readonly truncated: { readonly api: boolean; readonly public: boolean };
}

/** The current state of a subject, and a page of its records. */
export interface SubjectLedger {
  readonly state: SubjectState;
  /** Newest first, over all notices. */
  readonly items: readonly ConsentRecord[];
  readonly nextCursor: string | null;
}

/** The decision of a subject about one purpose. */
export interface DecisionInput {
  /** Who decided, by the id that you know them by; 1 to 256 characters. */
  readonly subjectId: string;
  /** The key of the purpose; 1 to 64 characters. */
  readonly purpose: string;
  readonly granted: boolean;
  /** Kept as keyed hashes alone. */
  readonly evidence?: { readonly ip?: string | undefined; readonly ua?: string | undefined } | undefined;
  /** Needed when several published notices ask for the purpose. */
  readonly noticeId?: string | undefined;
}

/** A recorded decision about one purpose. */
export interface Decision {
  /** The id of the consent record. */
  readonly id: string;
  readonly subjectId: string;
  readonly purpose: string;
  readonly granted: boolean;
  readonly recordedAt: string;
  readonly ledgerHash: string;
  /** The version of the notice. */
  readonly version: number;
}

/** What a visitor decided. */
export interface PublicRecordInput {
  /** A pseudonymous id of the visitor; 1 to 256 characters. */
  readonly subjectId: string;
  /** One entry for each purpose of the notice. */
  readonly purposes: PurposeChoices;
  /** A word such as `banner`; 1 to 64 characters. */
  readonly method?: string | undefined;
  /** When the visitor decided, RFC 3339, at most 5 minutes ahead and not before 2000; default: the time of the server. */
  readonly capturedAt?: Time | undefined;
  /** The version that the visitor saw; default: the current one. */
  readonly noticeVersion?: number | undefined;
}

/** The record of a visitor: enough to find it again and to prove it. */
export interface PublicRecord {
  readonly id: string;
  readonly noticeId: string;
  readonly noticeVersion: number;
  readonly subjectId: string;
  readonly method: string | null;
  readonly purposes: PurposeChoices;
  readonly capturedAt: string;
  readonly recordedAt: string;
  /** SHA-256 of the content of that version, hex. */
  readonly noticeContentHash: string;
  readonly ledgerHash: string;
  readonly prevLedgerHash: string | null;
}
