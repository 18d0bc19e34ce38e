import type { EventData } from './event-data.ts';

/** The body of every delivery. */
export interface EventEnvelope<Type extends string, Data> {
  readonly id: string;
  readonly type: Type;
  /** When it happened: RFC 3339, UTC. */
  readonly createdAt: string;
  readonly tenantId: string;
  readonly data: Data;
}

/** The types of events that this version knows. */
export type EventType = keyof EventData;

/** The event of one type: `EventOf<'dsr.completed'>`. */
export type EventOf<Type extends EventType> = { readonly [Name in Type]: EventEnvelope<Name, EventData[Name]> }[Type];

export type KnownEvent = EventOf<EventType>;

// An ambient enum is a literal type that equals no string: so `event.type === 'dsr.completed'` rules unknown events out.
declare enum UnknownEventType {
  other = 'a type that came after this version',
}

/** An event of a type that came after this version. Its type reads as a string: `event.type as string`. */
export type UnknownEvent = EventEnvelope<UnknownEventType, Readonly<Record<string, unknown>>>;

/** An event by its `type`: a comparison with a known type gives typed data, and what is left is unknown. */
export type WebhookEvent = KnownEvent | UnknownEvent;
