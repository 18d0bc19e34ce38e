import type { z } from 'zod';
import { namedObject } from '../../http/schemas.ts';
import { Count, Erasure, ErasureCounts } from './erasure.ts';

const { events, deliveries, responses } = ErasureCounts.shape;

/** Counts of the erased data of a person in one tenant. */
const UserErasureCounts = namedObject('UserErasureCounts', {
  sessions: Count.meta({ description: 'Sessions that ended.' }),
  invitations: Count,
  auditEvents: Count.meta({ description: 'Events of the audit log that named the person.' }),
  events,
  deliveries,
  responses,
});

export const UserErasure = Erasure.extend({
  counts: UserErasureCounts.meta({ description: 'What was erased so far.' }),
}).meta({ id: 'UserErasure' });
export type UserErasure = z.output<typeof UserErasure>;

/** The fields of a member that the API shows of them, in an object with their id. */
const profileNames: readonly string[] = ['email', 'name', 'displayName', 'givenName', 'familyName', 'externalId'];

/**
 * The erased form of a JSON text: their addresses are null wherever they are, and so is the profile beside their id.
 * @param userId null for an address that was only invited.
 * @returns null for a text that does not name the person.
 */
export function erasePerson(text: string, userId: string | null, names: readonly string[]): string | null {
  const isNamed = names.some((name) => text.includes(JSON.stringify(name)));
  if (!isNamed && (userId === null || !text.includes(userId))) return null;
  let isFound = false;
  const erase = (name: string, value: unknown, isTheirs: boolean): unknown => {
    const isPersonal = names.includes(value as string) || (isTheirs && profileNames.includes(name));
    if (value === null || !isPersonal) return value;
    isFound = true;
    return null;
  };
  const erased = JSON.stringify(JSON.parse(text), (_, value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => erase('', one, false));
    const isTheirs = userId !== null && (value.id === userId || value.userId === userId);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, erase(name, one, isTheirs)]));
  });
  return isFound ? erased : null;
}
