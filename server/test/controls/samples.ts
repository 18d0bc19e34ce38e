import { randomUUID } from 'node:crypto';

/** A control of a tenant's own that nothing is wrong with, under a code that nothing else has. */
export function ownControl(change: object = {}) {
  return {
    code: `OWN-${randomUUID().slice(0, 8)}`,
    title: 'Visitors are met at the door',
    description: 'Nobody walks through the office alone who does not work there.',
    domain: 'Reception',
    cadence: 'quarterly',
    ...change,
  };
}

/** An item of evidence that nothing is wrong with, at the time of the test clock. */
export const evidenceItem = {
  title: 'Visitor list of October',
  kind: 'document',
  collectedAt: '2026-11-01T09:00:00.000Z',
} as const;
