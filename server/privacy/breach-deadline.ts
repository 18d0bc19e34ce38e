import { addHours, isOver } from './deadline.ts';

/** GDPR Article 33(1); Nigeria Data Protection Act 2023 section 40. */
const notificationHours = 72;

/** What tells whether the authority was notified as it must be. */
export interface BreachNotification {
  readonly discoveredAt: string;
  readonly authorityNotifiedAt: string | null;
  /** Why the authority was not notified, or not in time. */
  readonly notificationReason: string | null;
}

/** When the authority must be notified at the latest. */
export function notificationDue(discoveredAt: string): string {
  return addHours(discoveredAt, notificationHours);
}

/** Whether the authority still waits for a notification that should have come. */
export function isNotificationOverdue(
  { discoveredAt, authorityNotifiedAt, notificationReason }: BreachNotification,
  now: string,
): boolean {
  return authorityNotifiedAt === null && notificationReason === null && isOver(notificationDue(discoveredAt), now);
}

/** Whether the authority was notified late, which the notification must give reasons for (GDPR Article 33(1)). */
export function wasNotifiedLate({ discoveredAt, authorityNotifiedAt }: BreachNotification): boolean {
  return authorityNotifiedAt !== null && isOver(notificationDue(discoveredAt), authorityNotifiedAt);
}
