import type { WebhookDeliveryDetail, WebhookOrdering } from '../types/api.ts';

type Event = WebhookDeliveryDetail['event'];

/** The field of the data that names what an event is about, by the noun in its type. */
const subjectFields: Readonly<Record<string, string>> = {
  consent: 'subjectId',
  consent_notice: 'noticeId',
  dsr: 'dsrId',
  breach: 'breachId',
  control: 'controlId',
  user: 'userId',
  mfa: 'userId',
  webhook: 'webhookId',
};

/** Which deliveries wait for which: those of a webhook with the same key go one after the other. */
export class DeliveryOrder {
  /** What waits with the same key, oldest first. */
  readonly #waiting = new Map<string, Set<string>>();
  /** By the id of a delivery. */
  readonly #places = new Map<string, string>();

  /** Puts a delivery behind those with its key. */
  add({ id, webhookId }: Pick<WebhookDeliveryDetail, 'id' | 'webhookId'>, ordering: WebhookOrdering, event: Event) {
    if (ordering === 'none') return;
    const subject = subjectFields[event.type.slice(0, event.type.indexOf('.'))] ?? '';
    const place = `${webhookId} ${ordering === 'all' ? '' : String(event.data[subject])}`;
    this.#places.set(id, place);
    this.#waiting.set(place, (this.#waiting.get(place) ?? new Set()).add(id));
  }

  /** A delivery has come to its end. */
  remove(id: string): void {
    this.#waiting.get(this.#places.get(id) ?? '')?.delete(id);
  }

  /** The delivery that goes before this one; null for none. */
  findBefore(id: string): string | null {
    const [head = id] = this.#waiting.get(this.#places.get(id) ?? '') ?? [];
    return head === id ? null : head;
  }
}
