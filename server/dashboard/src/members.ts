import type { TemplateResult } from 'lit';
import type { Member } from '../../../packages/node-sdk/src/types/api.ts';
import { choice } from './element.ts';
import { members } from './sdk.ts';

/** Reads all members who can sign in: those to whom work can be assigned. */
export async function readMembers(): Promise<readonly Member[]> {
  const found: Member[] = [];
  for await (const member of members.list()) found.push(member);
  return found;
}

/** The name of a member; the id of one who left. */
export function nameMember(known: readonly Member[], id: string): string {
  return known.find((member) => member.id === id)?.name ?? id;
}

/**
 * A labelled choice of a member. One who left stays until another is chosen.
 * @param none the choice of no member.
 */
export function memberChoice(
  label: string,
  name: string,
  known: readonly Member[],
  current: string | null,
  none: string,
): TemplateResult {
  const names = new Map([['', none], ...known.map((member) => [member.id, member.name] as const)]);
  if (current !== null && !names.has(current)) names.set(current, current);
  return choice(label, name, names, current ?? '');
}
