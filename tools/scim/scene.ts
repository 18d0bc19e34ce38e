import { randomBytes } from 'node:crypto';
import type { Role } from '../../server/principal/roles.ts';
import type { Scene } from './sequence.ts';

/** A scene, and what the runner needs of it besides. */
export interface PlayedScene extends Scene {
  /** Keeps the resource of an answer. */
  keep(name: string, resource: unknown): void;
  /** Everybody whom the sequence named so far. */
  readonly people: ReadonlySet<string>;
}

/** @param isMapped whether the tenant maps the names of the groups that the provider has; else they are the roles. */
export function createScene(isMapped: boolean): PlayedScene {
  const run = randomBytes(5).toString('hex');
  const resources = new Map<string, Readonly<Record<string, unknown>>>();
  const people = new Set<string>();
  const resource = (name: string) => {
    const kept = resources.get(name);
    if (kept === undefined) throw new Error(`nothing is known of ${name}, because an earlier step failed`);
    return kept;
  };
  return {
    people,
    email(who) {
      people.add(who);
      return `${who}.${run}@example.com`;
    },
    externalId: (who) => `${run}-${who}`,
    group: (role) => (isMapped ? nameGroup(role, run) : role),
    resource,
    id: (name) => String(resource(name).id),
    keep(name, kept) {
      if (typeof kept === 'object' && kept !== null && 'id' in kept)
        resources.set(name, kept as Readonly<Record<string, unknown>>);
    },
  };
}

/** With spaces and a sign that filters must escape, as names of groups have them. */
function nameGroup(role: Role, run: string): string {
  return `Svc & Co ${role} ${run}`;
}
