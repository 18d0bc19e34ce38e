import { canonicalize } from '../ledger/canonical.ts';
import type {
  ControlChange,
  ControlDetail,
  ControlInput,
  FrameworkAdoption,
  FrameworkAdoptionInput,
} from '../types/api.ts';
import { type CatalogueControl, readCatalogue } from './catalogue.ts';
import {
  type AssessedControl,
  ControlState,
  type StoredControl,
  type StoredTest,
  viewDetail,
} from './control-state.ts';
import { decideChange } from './decide-control.ts';
import { canSignIn, type Members } from './members.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import type { Sent } from './rules.ts';
import { type Call, type Handlers, newId, stateHash, type World } from './world.ts';

const mostOwnControls = 1000;
type Full<Input> = { readonly [Name in keyof Input]-?: Exclude<Input[Name], undefined> };

/** What an event is about. */
interface Target {
  readonly targetId: string;
  readonly targetRef: string;
}

/** The controls of the tenant. */
export class Controls {
  readonly state = new ControlState();
  readonly #world: World;
  readonly #members: Members;
  #programId: string | null = null;

  constructor(world: World, members: Members) {
    this.#world = world;
    this.#members = members;
  }

  /** The operations on controls. */
  handlers(): Handlers {
    return {
      adoptFrameworks: (call: Call<FrameworkAdoptionInput>) => this.#adopt(call),
      createControl: (call: Call<Full<ControlInput>>) => this.#create(call),
      getControl: (call) => viewDetail(this.require(call)),
      editControl: (call: Call<Sent<ControlChange>>) => this.#edit(call),
      retireControl: (call) => this.#retire(call),
    };
  }

  /** The control in force that a call names. */
  require({ params, now }: Call): AssessedControl {
    const stored = this.state.find(params.controlId);
    const control = stored === undefined ? null : this.state.assess(stored, now);
    if (control === null) throw notFound('control');
    return control;
  }

  /** Stores a change, and tells of it; nothing when it is so already and nobody looked. */
  save(call: Call, before: AssessedControl, change: Partial<StoredControl>, reason?: string): AssessedControl {
    const isReview = change.reviewedAt !== undefined;
    const names = Object.keys(change) as (keyof StoredControl)[];
    const isSame = (name: keyof StoredControl) =>
      canonicalize(change[name] ?? null) === canonicalize(before.stored[name] ?? null);
    if (!isReview && names.every(isSame)) return before;
    const stored = { ...before.stored, ...change, updatedAt: call.now };
    this.state.controls.set(stored.id, stored);
    const after = this.state.assess(stored, call.now) as AssessedControl;
    const move = findMove(before, after);
    const verb = move !== null ? 'status_changed' : isReview ? 'reviewed' : 'edited';
    const target = { targetId: stored.id, targetRef: after.control.code };
    this.record(call, `control.${verb}`, target, describeDiff(before, after), reason);
    this.#emitMove(call, after, move);
    return after;
  }

  /** Tells webhooks when evidence or a test has just changed the status. */
  tellMove(call: Call, before: AssessedControl): void {
    const after = this.state.assess(before.stored, call.now);
    if (after !== null) this.#emitMove(call, after, findMove(before, after));
  }

  record(call: Call, action: string, target: Target, diff: object, reason?: string): void {
    const told = { ...diff, stateHash: stateHash({ ...target, action, at: call.now }) };
    this.#world.record(call, { module: 'controls', action, ...target, diff: told, reason });
  }

  emitFailure(call: Call, { control }: AssessedControl, testId: string, resultId: string): void {
    const { controlId, code } = control;
    this.#world.emit('control.test_failed', { controlId, code, testId, resultId }, call.now);
  }

  #emitMove({ now }: Call, { control }: AssessedControl, move: Move | null): void {
    const { controlId, code } = control;
    if (move !== null) this.#world.emit('control.status_changed', { controlId, code, ...move }, now);
  }

  #adopt(call: Call<FrameworkAdoptionInput>): FrameworkAdoption {
    const { frameworks, controls } = readCatalogue();
    const before = this.state.adopted.map(({ code }) => code);
    const adopted = frameworks.filter(({ code }) => call.body.frameworks.includes(code));
    const codes = adopted.map(({ code }) => code);
    this.state.adopted = adopted;
    if (before.join() !== codes.join()) {
      this.#programId ??= newId();
      const diff = { before: { frameworks: before }, after: { frameworks: codes }, stateHash: stateHash(codes) };
      const event = { module: 'controls', action: 'control_program.adopted', targetId: this.#programId };
      this.#world.record(call, { ...event, targetRef: null, diff });
    }
    const inForce = controls.filter(({ mappings }) => codes.some((code) => Object.hasOwn(mappings, code)));
    const known = new Set([...this.state.controls.values()].map(({ controlId }) => controlId));
    this.#take(
      call,
      inForce.filter(({ controlId }) => !known.has(controlId)),
    );
    const own = [...this.state.controls.values()].filter((one) => one.definition !== null && !one.isRetired);
    return { frameworks: codes, controls: inForce.length + own.length };
  }

  /** Controls of the catalogue that come into force for the first time, with their tests. */
  #take(call: Call, controls: readonly CatalogueControl[]): void {
    const created = controls.map(({ controlId, code, cadence, tests }) => {
      const stored = { ...newControl(call.now), id: newId(), controlId, cadence };
      this.state.controls.set(stored.id, stored);
      return { stored, code, tests };
    });
    for (const { stored, tests } of created)
      this.state.tests.set(
        stored.id,
        tests.map((test) => newTest(test, call.now)),
      );
    for (const { stored, code } of created)
      this.record(call, 'control.created', { targetId: stored.id, targetRef: code }, {});
    for (const { stored, code } of created)
      for (const { id: targetId, cadence } of this.state.tests.get(stored.id) ?? []) {
        const diff = { controlId: stored.controlId, cadence };
        this.record(call, 'control_test.created', { targetId, targetRef: code }, diff);
      }
  }

  #create(call: Call<Full<ControlInput>>): ControlDetail {
    const { cadence, ownerUserId, ...definition } = call.body;
    const own = [...this.state.controls.values()].filter((one) => one.definition !== null && !one.isRetired);
    if (own.length >= mostOwnControls)
      throw conflict(`A tenant may have at most ${mostOwnControls} controls of its own.`);
    const folded = definition.code.toLowerCase();
    if (own.some((one) => one.definition?.code.toLowerCase() === folded))
      throw conflict(`There is a control with the code ${definition.code} already.`);
    if (ownerUserId !== null) this.#requireOwner(ownerUserId);
    const id = newId();
    const stored = { ...newControl(call.now), id, controlId: id, definition, cadence, ownerUserId };
    this.state.controls.set(id, stored);
    const assessed = this.state.assess(stored, call.now) as AssessedControl;
    this.record(call, 'control.created', { targetId: id, targetRef: definition.code }, {});
    return viewDetail(assessed);
  }

  #edit(call: Call<Sent<ControlChange>>): ControlDetail {
    const before = this.require(call);
    const change = decideChange(before, call.body, call.now);
    const { ownerUserId, reason } = call.body;
    if (ownerUserId && ownerUserId !== before.stored.ownerUserId) this.#requireOwner(ownerUserId);
    return viewDetail(this.save(call, before, change, reason));
  }

  #retire(call: Call): null {
    const before = this.require(call);
    const { stored, control, template } = before;
    if (template !== null)
      throw conflict(
        `${control.code} is a control of the catalogue and cannot be removed; set it to not_applicable instead.`,
      );
    this.state.controls.set(stored.id, { ...stored, isRetired: true });
    const target = { targetId: stored.id, targetRef: control.code };
    this.record(call, 'control.retired', target, { retiredAt: call.now });
    return null;
  }

  #requireOwner(userId: string): void {
    const member = this.#members.find(userId);
    if (member === undefined || !canSignIn(member))
      throw invalidValues([{ path: 'body.ownerUserId', issue: 'is no member of the tenant who may sign in' }]);
  }
}

/** A control that nobody has done anything about. */
function newControl(now: string) {
  return {
    ...{ definition: null, status: 'not_started' as const, ownerUserId: null, reason: null, reviewedAt: null },
    ...{ exceptionEndsAt: null, evidenceDueAt: null, createdAt: now, updatedAt: now, isRetired: false },
  };
}

/** A test that has not run yet. */
export function newTest(
  { title, procedure, cadence = null }: Partial<StoredTest> & Pick<StoredTest, 'title' | 'procedure'>,
  now: string,
): StoredTest {
  return { id: newId(), title, procedure, cadence, createdAt: now, retiredAt: null, results: [] };
}

type Told = Readonly<Record<string, unknown>>;
type Move = { readonly from: string; readonly to: string };

/** From which status to which a change led; where time had brought the new one already, from the one that was set. */
function findMove(before: AssessedControl, after: AssessedControl): Move | null {
  const to = after.control.status;
  if (before.control.status !== to) return { from: before.control.status, to };
  return before.stored.status === after.stored.status ? null : { from: before.stored.status, to };
}

function describeDiff(before: AssessedControl, after: AssessedControl): object {
  const status = findMove(before, after)?.from ?? before.control.status;
  const [old, now]: readonly [Told, Told] = [{ ...tell(before), status }, tell(after)];
  const changed = Object.keys(now).filter(
    (name) => canonicalize(old[name] ?? null) !== canonicalize(now[name] ?? null),
  );
  const pick = (told: Told) => Object.fromEntries(changed.map((name) => [name, told[name]]));
  return { before: pick(old), after: pick(now) };
}

function tell({ stored, control, definition }: AssessedControl): Told {
  const { exceptionEndsAt, evidenceDueAt, reviewedAt } = stored;
  const { status, cadence, ownerUserId } = control;
  const { title, description, domain, mappings } = definition;
  const own = stored.definition !== null && { title, description, domain, mappings };
  return { status, cadence, ownerUserId, exceptionEndsAt, evidenceDueAt, reviewedAt, ...own };
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
