import { randomBytes } from 'node:crypto';
import { findDifferences, includes, isAbsent, isText } from './match.ts';
import { checkOutcome, countMembers, findUser } from './outcome.ts';
import { prepareTenant, requireEmptyGroups } from './prepare.ts';
import { type Answer, ConformanceError, type Target } from './target.ts';
import type { Scene, Sequence, Step } from './transcript.ts';

const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';

export interface StepReport {
  readonly does: string;
  /** The request in one line; empty when it could not be made. */
  readonly request: string;
  /** The status of the answer; null when none was asked for. */
  readonly status: number | null;
  /** Differences from the required answer; empty if there are none. */
  readonly differences: readonly string[];
}

export interface SequenceReport {
  readonly sequence: Sequence;
  readonly steps: readonly StepReport[];
  /** Outcomes of members that are not as required, and cleanups that failed. */
  readonly outcome: readonly string[];
}

export function isPassed({ steps, outcome }: SequenceReport): boolean {
  return outcome.length === 0 && steps.every(({ differences }) => differences.length === 0);
}

export interface PlayOptions {
  /** Called with each step when it is done. */
  readonly onStep?: (step: StepReport) => void;
  /** Ends the sequence before its next step; what it made is cleared up. */
  readonly signal?: AbortSignal;
}

/**
 * Plays a sequence as its provider sends it, looks at what became of the members, and clears up.
 * @throws {ConformanceError} when the server cannot be asked, or has members whom the sequence would take the access from.
 */
export async function playSequence(
  target: Target,
  sequence: Sequence,
  { onStep = () => {}, signal }: PlayOptions = {},
): Promise<SequenceReport> {
  await requireEmptyGroups(target, sequence.roles);
  const before = await countMembers(target);
  const scene = createScene(target.hasKey);
  await using _ = await prepareTenant(target, sequence, scene);
  const steps: StepReport[] = [];
  const outcome: string[] = [];
  try {
    for (const step of sequence.steps) {
      if (signal?.aborted) throw new ConformanceError('Stopped.');
      const report = await playStep(target, sequence, step, scene);
      steps.push(report);
      onStep(report);
    }
    outcome.push(...(await lookAtOutcome(target, sequence, scene, before)));
  } finally {
    outcome.push(...(await clearUp(target, scene)));
  }
  return { sequence, steps, outcome };
}

async function playStep(target: Target, { headers }: Sequence, step: Step, scene: PlayedScene): Promise<StepReport> {
  const { does } = step;
  try {
    const { method, path, body } = step.request(scene);
    const expected = step.answer(scene);
    const answer = await target.scim(method, path, body, headers);
    const { status } = answer;
    const differences = [
      ...(status === expected.status
        ? []
        : [`the status must be ${expected.status}, not ${status}: ${answer.text.slice(0, 500)}`]),
      ...checkForm(answer),
      ...(status === expected.status && expected.body !== undefined ? findDifferences(expected.body, answer.body) : []),
    ];
    if (step.keep !== undefined && status < 300) scene.keep(step.keep, readResource(answer.body));
    return { does, request: `${method} ${path}`, status, differences };
  } catch (error) {
    if (error instanceof ConformanceError) throw error;
    return { does, request: '', status: null, differences: [`not played: ${(error as Error).message}`] };
  }
}

/** A search gives the resource that it found. */
function readResource(body: { readonly Resources?: readonly unknown[] } | undefined): unknown {
  return body?.Resources === undefined ? body : body.Resources[0];
}

async function lookAtOutcome(
  target: Target,
  sequence: Sequence,
  scene: PlayedScene,
  before: number,
): Promise<readonly string[]> {
  try {
    return await checkOutcome(target, sequence, scene, before);
  } catch (error) {
    if (error instanceof ConformanceError) throw error;
    return [`the outcome cannot be checked: ${(error as Error).message}`];
  }
}

/** Deletes everybody whom the sequence made. */
async function clearUp(target: Target, scene: PlayedScene): Promise<readonly string[]> {
  const left: string[] = [];
  for (const who of scene.people) {
    const { body } = await findUser(target, scene.email(who));
    for (const { id } of body?.Resources ?? []) {
      const { status } = await target.scim('DELETE', `/Users/${id}`);
      if (status !== 204) left.push(`${who} cannot be deleted: ${status}`);
    }
  }
  return left;
}

/** Checks the requirements for every answer, whatever was requested (RFC 7644 sections 3.1, 3.3, 3.12). */
function checkForm({ status, headers, text, body }: Answer): readonly string[] {
  if (status === 204) return text === '' ? [] : ['a 204 must have no body'];
  const type = headers.get('Content-Type') ?? 'none';
  if (!/^application\/scim\+json *(;|$)/i.test(type))
    return [`Content-Type must be application/scim+json, not ${type}`];
  if (body === undefined) return ['the body must be JSON'];
  // A resource never contains a password that was sent before.
  const secrets = findDifferences({ password: isAbsent }, body);
  if (status >= 400) {
    const error = { schemas: includes(errorUrn), status: String(status), detail: isText };
    return [...secrets, ...findDifferences(error, body)];
  }
  if (status !== 201) return secrets;
  const location = headers.get('Location');
  if (location === null || !URL.canParse(location)) return [...secrets, 'a 201 must have an absolute Location'];
  return [...secrets, ...findDifferences({ meta: { location } }, body)];
}

/** A scene that a run fills. */
interface PlayedScene extends Scene {
  /** Keeps the resource of an answer. */
  keep(name: string, resource: unknown): void;
  /** Everyone whom the sequence named so far. */
  readonly people: ReadonlySet<string>;
}

/** @param isMapped whether the tenant maps the names of the groups that the provider has; else they are the roles. */
function createScene(isMapped: boolean): PlayedScene {
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
function nameGroup(role: string, run: string): string {
  return `Svc & Co ${role} ${run}`;
}
