import type { z } from 'zod';
import { noticeEvents } from '../consent/notice.ts';
import { recordEvents } from '../consent/record.ts';
import { controlEvents } from '../controls/control.ts';
import { userEvents } from '../identity/membership.ts';
import { mfaEvents } from '../identity/mfa/store.ts';
import { breachEvents } from '../privacy/breach.ts';
import { dsrEvents } from '../privacy/dsr.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';
import { endpointEvents } from '../webhooks/endpoints/endpoint.ts';

/** The schema of the data of every type of event. The OpenAPI document and the tests of what is emitted read it. */
export const eventData = {
  ...recordEvents,
  ...noticeEvents,
  ...dsrEvents,
  ...breachEvents,
  ...controlEvents,
  ...userEvents,
  ...mfaEvents,
  ...endpointEvents,
} as const satisfies Readonly<Record<EventType, z.ZodType>>;
