import type { MemberRole, User } from '../types/api.ts';
import { type Caller, newId, stateHash, type World } from './world.ts';

/** A person's place in the tenant. */
export interface Member {
  readonly userId: string;
  /** The e-mail address as it was written. */
  readonly userName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly externalId: string | null;
  readonly role: MemberRole;
  readonly isActivated: boolean;
  /** False after a removal from the role group. */
  readonly isAssigned: boolean;
  /** Whether the person took an invitation and may sign in. */
  readonly isAccepted: boolean;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignedInAt: string | null;
}

/** What is to become of members; what is left out stays. */
export type MemberChange = Partial<
  Pick<Member, 'role' | 'isActivated' | 'isAssigned' | 'isAccepted' | 'isDeleted' | Profile>
>;
type Profile = 'givenName' | 'familyName' | 'externalId';

/** A person who is to become a member. */
export interface NewMember extends Partial<Pick<Member, Profile>> {
  /** In the form that is compared. */
  readonly email: string;
  readonly userName?: string;
  readonly role: MemberRole;
  readonly isActivated: boolean;
  readonly isAccepted: boolean;
}

/** Who does it, and why. */
export interface Doing {
  readonly call: Caller | null;
  readonly now: string;
  /** Empty for none. */
  readonly reason: string;
  readonly person?: { readonly id: string; readonly email: string };
}

type MemberEvent = 'provisioned' | 'suspended' | 'reactivated' | 'deprovisioned' | 'role_changed';

/** The members of the tenant, and the persons who were some: who comes back keeps their id. */
export class Members {
  readonly #world: World;
  readonly #ids = new Map<string, string>();
  readonly #members = new Map<string, Member>();
  /** Those with a second factor, and whether it is on. */
  readonly #factors = new Map<string, boolean>();
  /** Told of whoever can no longer sign in. */
  onInactive: (userIds: readonly string[]) => void = () => {};
  /** Told of whoever was removed. */
  onRemoved: (userIds: readonly string[], doing: Doing) => void = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  /** In the order of their ids. */
  list(): readonly Member[] {
    const members = [...this.#members.values()].filter(({ isDeleted }) => !isDeleted);
    return members.sort((one, other) => (one.userId < other.userId ? -1 : 1));
  }

  find(id: string | undefined): Member | undefined {
    const member = this.#members.get(id ?? '');
    return member?.isDeleted === false ? member : undefined;
  }

  /** @param email in the form that is compared. */
  findByEmail(email: string | null): Member | undefined {
    return this.find(this.#ids.get(email ?? ''));
  }

  /** The address of a person in the form that is compared. */
  emailOf(userId: string): string {
    return [...this.#ids].find(([, id]) => id === userId)?.[0] ?? '';
  }

  /** The id of a person, who need not be a member yet. @param email in the form that is compared. */
  personOf(email: string): string {
    const id = this.#ids.get(email) ?? newId();
    this.#ids.set(email, id);
    return id;
  }

  /** Makes a person a member; undefined where they are one already. */
  add(doing: Doing, { email, userName = email, ...wanted }: NewMember): Member | undefined {
    const { now } = doing;
    const userId = this.personOf(email);
    const earlier = this.#members.get(userId);
    if (earlier?.isDeleted === false) return undefined;
    const { givenName = null, familyName = null, externalId = null, role, isActivated } = wanted;
    const member: Member = {
      ...{ userId, userName, givenName, familyName, externalId, role, isActivated, isAssigned: true },
      isAccepted: earlier?.isAccepted === true || wanted.isAccepted,
      isDeleted: false,
      ...{ createdAt: earlier?.createdAt ?? now, updatedAt: now, lastSignedInAt: earlier?.lastSignedInAt ?? null },
    };
    this.#members.set(userId, member);
    this.#tell(doing, [[earlier, member]]);
    return member;
  }

  /** Changes members; what is as it shall be already is left alone. @returns those of them who are still members or were until now. */
  change(doing: Doing, userIds: readonly string[], change: MemberChange): ReadonlyMap<string, Member> {
    const { isActivated, isAssigned = isActivated || undefined } = change;
    const wanted = Object.entries({ ...change, isAssigned }).filter(([, value]) => value !== undefined);
    const present = this.list().filter(({ userId }) => userIds.includes(userId));
    const namesOf = (member: Member) =>
      wanted.filter(([name, value]) => member[name as keyof Member] !== value).map(([name]) => name);
    const changes: [Member, Member][] = [];
    // Members whose same fields change are written, and told of, together.
    for (const [names, members] of Map.groupBy(present, (member) => namesOf(member).sort().join()))
      for (const member of names === '' ? [] : members) {
        const after = { ...member, ...Object.fromEntries(wanted), updatedAt: doing.now };
        this.#members.set(member.userId, after);
        changes.push([member, after]);
      }
    this.#tell(doing, changes);
    const ids = present.map(({ userId }) => userId);
    if (change.isDeleted === true) this.onRemoved(ids, doing);
    return new Map(ids.map((id) => [id, this.#members.get(id) as Member]));
  }

  noteSignIn(userId: string, now: string): void {
    const member = this.find(userId);
    if (member !== undefined) this.#members.set(userId, { ...member, lastSignedInAt: now });
  }

  hasFactor(userId: string): boolean {
    return this.#factors.get(userId) === true;
  }

  /** Turns a second factor on or off. */
  setFactor(doing: Doing, { userId, userName }: Member, isOn: boolean): void {
    this.#factors.set(userId, isOn);
    const state = isOn ? { before: 'pending', after: 'enabled' } : { before: 'enabled', after: 'disabled' };
    this.#record(doing, `mfa.${isOn ? 'enabled' : 'reset'}`, { userId, userName }, { state });
    this.#world.emit(`mfa.${isOn ? 'enabled' : 'disabled'}`, { userId, email: this.emailOf(userId) }, doing.now);
    this.onInactive([userId]);
  }

  /** A change of the account itself, of which the tenant is told. */
  recordAccount(doing: Doing, verb: string, userId: string): void {
    const member = this.#members.get(userId);
    if (member !== undefined) this.#record(doing, `account.${verb}`, member, {});
  }

  #record(
    { call, now, reason, person }: Doing,
    action: string,
    { userId, userName }: Pick<Member, 'userId' | 'userName'>,
    diff: object,
  ): void {
    const event = { module: 'identity', action, targetId: userId, targetRef: userName, ...(person && { person }) };
    const told = { ...diff, stateHash: stateHash({ userId, action, now }) };
    this.#world.record(call, { ...event, diff: told, ...(reason !== '' && { reason }) }, now);
  }

  #tell(doing: Doing, changes: readonly (readonly [Member | undefined, Member])[]): void {
    const told = changes.flatMap(([before, after]) =>
      describeChange(before, after).map((event) => ({ ...event, before, after })),
    );
    for (const { verb, diff, before, after } of told) {
      const isNewlyKnown = after.isAccepted && (before === undefined || before.isDeleted || !before.isAccepted);
      const states = isNewlyKnown && { alsoStates: this.#hashAccount(after.userId) };
      this.#record(doing, `user.${verb}`, after, { ...diff, ...states });
    }
    for (const { verb, diff, after } of told) {
      const { userId, userName: email, role } = after;
      if (verb !== 'updated')
        this.#world.emit(`user.${verb}`, { userId, email, role, status: statusOf(after), ...diff }, doing.now);
    }
    this.onInactive(told.filter(({ after }) => statusOf(after) !== 'active').map(({ after }) => after.userId));
  }

  #hashAccount(userId: string): Readonly<Record<string, string>> {
    const factor = this.#factors.get(userId);
    return { account: stateHash({ userId }), ...(factor !== undefined && { mfa: stateHash({ userId, factor }) }) };
  }
}

export function statusOf({ isDeleted, isActivated, isAssigned }: Member): User['status'] {
  if (isDeleted) return 'deleted';
  return isActivated && isAssigned ? 'active' : 'suspended';
}

/** What a person is called: the name, as far as it is more than white space, else the address. */
export function displayName({ givenName, familyName, userName }: Member): string {
  return [givenName, familyName].filter((part) => part !== null && part.trim() !== '').join(' ') || userName;
}

/** Whether somebody may sign in. */
export function canSignIn(member: Member): boolean {
  return statusOf(member) === 'active' && member.isAccepted;
}

function describeChange(
  before: Member | undefined,
  after: Member,
): readonly { readonly verb: MemberEvent | 'updated'; readonly diff: Readonly<Record<string, unknown>> }[] {
  if (before === undefined || before.isDeleted) {
    const restored = before !== undefined && { restored: true };
    return [{ verb: 'provisioned', diff: { after: { role: after.role, status: statusOf(after) }, ...restored } }];
  }
  const events: { verb: MemberEvent | 'updated'; diff: Readonly<Record<string, unknown>> }[] = [];
  if (before.role !== after.role)
    events.push({ verb: 'role_changed', diff: { before: { role: before.role }, after: { role: after.role } } });
  const [from, to] = [statusOf(before), statusOf(after)];
  if (from !== to) {
    const verb = to === 'deleted' ? 'deprovisioned' : to === 'active' ? 'reactivated' : 'suspended';
    events.push({ verb, diff: { before: { status: from }, after: { status: to } } });
  }
  const rest = ['userName', 'givenName', 'familyName', 'externalId', 'isAccepted'] as const;
  const names = events.length > 0 ? rest : ([...rest, 'isActivated', 'isAssigned'] as const);
  const changed = names.filter((name) => before[name] !== after[name]);
  const pick = (member: Member) => Object.fromEntries(changed.map((name) => [name, member[name]]));
  if (changed.length > 0) events.push({ verb: 'updated', diff: { before: pick(before), after: pick(after) } });
  return events;
}
