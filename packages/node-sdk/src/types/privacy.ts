import type { Time } from './json.ts';
import type { PageParams } from './lists.ts';

/** What a person asks for (GDPR Articles 15 to 18, 20 and 21). */
export type DsrType = 'access' | 'erasure' | 'rectification' | 'portability' | 'restriction' | 'objection';
export type DsrStatus = 'open' | 'completed';
export type DsrOutcome = 'fulfilled' | 'rejected' | 'partially_fulfilled';

/** How a request came. */
export type DsrChannel = 'email' | 'phone' | 'web' | 'letter' | 'in_person' | 'other';

/** A request to open. */
export interface DsrInput {
  /** Who asks, by the id that you know them by; 1 to 256 characters. */
  readonly subjectId: string;
  readonly type: DsrType;
  readonly channel?: DsrChannel | undefined;
  /** 1 to 5,000 characters. */
  readonly notes?: string | undefined;
  /** When the request came, which its period runs from; not in the future. Default: the time of the server. */
  readonly receivedAt?: Time | undefined;
}

/** Why the answer to a request takes longer. */
export interface DsrExtension {
  /** As the person is told; 1 to 2,000 characters. */
  readonly reason: string;
}

/** How a request ends. */
export interface DsrCompletion {
  readonly outcome: DsrOutcome;
  /** Required unless the request is fulfilled; 1 to 2,000 characters. */
  readonly reason?: string | undefined;
}

/** A request of a data subject. */
export interface Dsr {
  readonly id: string;
  readonly subjectId: string;
  readonly type: DsrType;
  readonly channel: DsrChannel | null;
  readonly notes: string | null;
  readonly status: DsrStatus;
  readonly receivedAt: string;
  /** When it must be answered. */
  readonly dueAt: string;
  /** Whether it is open past its due date. */
  readonly isOverdue: boolean;
  readonly extendedAt: string | null;
  readonly extensionReason: string | null;
  readonly outcome: DsrOutcome | null;
  /** Why it was not fulfilled, or not wholly. */
  readonly reason: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Which requests are listed. */
export interface DsrListParams extends PageParams {
  readonly status?: DsrStatus | undefined;
  readonly type?: DsrType | undefined;
  /** Requests of exactly this person. */
  readonly subjectId?: string | undefined;
  /** Whether they are open past their due date, at the time of the page. */
  readonly overdue?: boolean | undefined;
}

export type BreachSeverity = 'low' | 'medium' | 'high' | 'critical';
export type BreachStatus = 'open' | 'contained' | 'closed';

/** A breach of personal data to report. */
export interface BreachInput {
  /** 1 to 200 characters. */
  readonly title: string;
  /** What happened, its likely consequences, what was done; 1 to 10,000 characters. */
  readonly description: string;
  readonly severity: BreachSeverity;
  /** When you became aware of it, RFC 3339; not in the future. */
  readonly discoveredAt: Time;
  /** How many persons are affected, as far as it is known. */
  readonly affectedSubjects?: number | undefined;
  /** Kinds of data that are affected; at most 50, of 1 to 100 characters each. */
  readonly dataCategories?: readonly string[] | undefined;
}

/** A change of a breach; what is left out stays as it is. */
export interface BreachChange {
  /** 1 to 200 characters. */
  readonly title?: string | undefined;
  /** What happened, its likely consequences, what was done; 1 to 10,000 characters. */
  readonly description?: string | undefined;
  readonly severity?: BreachSeverity | undefined;
  /** How many persons are affected; null when that is not known. */
  readonly affectedSubjects?: number | null | undefined;
  /** Kinds of data that are affected; at most 50, of 1 to 100 characters each. */
  readonly dataCategories?: readonly string[] | undefined;
  /** An open one can become contained or closed, a contained one closed, and a closed one open again. */
  readonly status?: BreachStatus | undefined;
  /** Not before the discovery, and not in the future; null takes it back. */
  readonly authorityNotifiedAt?: Time | null | undefined;
  /** Not before the discovery, and not in the future; null takes it back. */
  readonly subjectsNotifiedAt?: Time | null | undefined;
  /**
   * Why the authority need not be notified, or why it was notified late; 1 to 2,000 characters. Needed to close an incident
   * that it was not notified of, and where it was notified after the 72 hours.
   */
  readonly notificationReason?: string | null | undefined;
}

/** A breach of personal data. */
export interface Breach {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly severity: BreachSeverity;
  readonly status: BreachStatus;
  readonly affectedSubjects: number | null;
  readonly dataCategories: readonly string[];
  readonly discoveredAt: string;
  /** When the authority must be notified: 72 hours after the discovery. */
  readonly notificationDueAt: string;
  /** Whether that time has passed without a notification, and without a reason for none. */
  readonly isNotificationOverdue: boolean;
  readonly authorityNotifiedAt: string | null;
  readonly subjectsNotifiedAt: string | null;
  readonly notificationReason: string | null;
  readonly closedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Which breaches are listed. */
export interface BreachListParams extends PageParams {
  readonly status?: BreachStatus | undefined;
  readonly severity?: BreachSeverity | undefined;
}
