import { randomUUID } from 'node:crypto';

/** A valid custom control, with a unique code. */
export function ownControl(change: object = {}) {
  return {
    code: `OWN-${randomUUID().slice(0, 8)}`,
    title: 'Visitors are met at the door',
    description: 'Visitors are escorted in the office.',
    domain: 'Reception',
    cadence: 'quarterly',
    ...change,
  };
}

/** A valid item of evidence, at the time of the test clock. */
export const evidenceItem = {
  title: 'Visitor list of October',
  kind: 'document',
  collectedAt: '2026-11-01T09:00:00.000Z',
} as const;
