import type { Session, User, UserChange } from '../types/api.ts';
import { normalizeEmail } from './conditions.ts';
import { canSignIn, displayName, type Member, type Members, statusOf } from './members.ts';
import { notFound, Refusal } from './refusal.ts';
import { platformRole, requireRoleToGive } from './roles.ts';
import { type Call, type Handlers, newId, pageOf, type World } from './world.ts';

const hour = 3_600_000;
type StoredSession = Session & { readonly userId: string };

/** The members as administrators see them, and their sessions. */
export class Users {
  readonly #world: World;
  readonly #members: Members;
  /** Newest first. */
  #sessions: readonly StoredSession[] = [];

  constructor(world: World, members: Members) {
    this.#world = world;
    this.#members = members;
    members.onInactive = (userIds) => this.#end((session) => userIds.includes(session.userId));
  }

  /** The operations on members. */
  handlers(): Handlers {
    return {
      listUsers: (call) => this.#list(call),
      getUser: ({ params }) => this.view(this.#require(params.id)),
      editUser: (call: Call<UserChange>) => this.#edit(call),
      removeUser: (call) => this.#remove(call),
      listUserSessions: ({ params, now }) => ({ items: this.#sessionsOf(this.#require(params.id).userId, now) }),
      revokeUserSessions: (call) => ({ ended: this.#revoke(call) }),
      revokeUserSession: (call) => {
        const ended = this.#revoke(call, call.params.sessionId);
        if (ended === 0) throw notFound('session');
        return { ended };
      },
      resetUserSecondFactor: (call) => {
        const member = this.#requireChangeable(call);
        if (!this.#members.hasFactor(member.userId)) throw conflict('This member has no second factor.');
        this.#members.setFactor({ call, now: call.now, reason: '' }, member, false);
        return this.view(member);
      },
    };
  }

  view(member: Member): User {
    const { userId: id, userName: email, givenName, familyName, externalId, role } = member;
    const { createdAt, updatedAt, lastSignedInAt } = member;
    const mfaEnabled = member.isAccepted && this.#members.hasFactor(id);
    return {
      ...{ id, email, displayName: displayName(member), givenName, familyName, externalId, role },
      ...{ status: statusOf(member), canSignIn: canSignIn(member), mfaEnabled, createdAt, updatedAt, lastSignedInAt },
    };
  }

  /** Opens a session, as the person would do who signs in. @throws {TypeError} for nobody who may. */
  signIn(userId: string, now: string): Session {
    const member = this.#members.find(userId);
    if (member === undefined || !canSignIn(member)) throw new TypeError('Nobody with this id may sign in');
    const hasFactor = this.#members.hasFactor(userId);
    const challengeId = hasFactor ? newId() : null;
    const expiresAt = new Date(Date.parse(now) + 24 * hour).toISOString();
    const session = { id: newId(), createdAt: now, lastSeenAt: now, expiresAt, challengeId, isCurrent: false };
    this.#sessions = [{ ...session, userId }, ...this.#sessions];
    this.#members.noteSignIn(userId, now);
    const { userName: targetRef } = member;
    const person = { id: userId, email: this.#members.emailOf(userId) };
    const diff = { sessionId: session.id, method: hasFactor ? 'totp' : 'password' };
    const event = { module: 'identity', action: 'session.created', targetId: userId, targetRef, diff, person };
    this.#world.record(null, event, now);
    return session;
  }

  /** Ends all sessions of a person, as a new password does. */
  endSessions(userId: string): void {
    this.#end((session) => session.userId === userId);
  }

  /** Turns a second factor on, as the person would do. @throws {TypeError} for nobody who may sign in. */
  enableSecondFactor(userId: string, now: string): void {
    const member = this.#members.find(userId);
    if (member === undefined || !canSignIn(member)) throw new TypeError('Nobody with this id may sign in');
    if (this.#members.hasFactor(userId)) return;
    const person = { id: userId, email: this.#members.emailOf(userId) };
    this.#members.setFactor({ call: null, now, reason: '', person }, member, true);
  }

  #list({ query }: Call): object {
    const { status, role, email } = query;
    const members = [...this.#members.list()].reverse();
    const found = email === undefined ? undefined : this.#members.findByEmail(normalizeEmail(String(email)));
    const matching = members.filter(
      (member) =>
        (email === undefined || member === found) &&
        (status === undefined || statusOf(member) === status) &&
        (role === undefined || member.role === role),
    );
    const views = matching.map((member) => this.view(member));
    return pageOf(views, ({ id }) => id, ['users', status, role, email], query);
  }

  #edit(call: Call<UserChange>): User {
    const { role, active, reason = 'Changed by an administrator' } = call.body;
    const member = this.#requireChangeable(call);
    if (role !== undefined && role !== member.role) requireRoleToGive(call.scopes, role);
    if (role !== undefined || active === true) requireRoleToGive(call.scopes, member.role);
    if (active === false || (role !== undefined && role !== 'admin')) this.#requireAdminLeft(member);
    const change = { ...(role !== undefined && { role }), ...(active !== undefined && { isActivated: active }) };
    const changed = this.#members.change({ call, now: call.now, reason }, [member.userId], change);
    return this.view(changed.get(member.userId) ?? member);
  }

  #remove(call: Call): User {
    const member = this.#requireChangeable(call);
    this.#requireAdminLeft(member);
    const doing = { call, now: call.now, reason: 'Removed by an administrator' };
    const changed = this.#members.change(doing, [member.userId], { isDeleted: true });
    return this.view(changed.get(member.userId) ?? member);
  }

  #require(id: string | undefined): Member {
    const member = this.#members.find(id);
    if (member === undefined) throw notFound('user');
    return member;
  }

  #requireChangeable({ params, scopes }: Call): Member {
    const member = this.#require(params.id);
    if (member.role !== platformRole) requireRoleToGive(scopes, member.role);
    return member;
  }

  #requireAdminLeft(member: Member): void {
    const isAdmin = (one: Member) => one.role === 'admin' && canSignIn(one);
    const others = this.#members.list().filter((one) => one.userId !== member.userId && isAdmin(one));
    if (isAdmin(member) && others.length === 0)
      throw conflict('This is the last administrator who can sign in; make somebody else one first.');
  }

  #sessionsOf(userId: string, now: string): readonly Session[] {
    const idleSince = new Date(Date.parse(now) - hour).toISOString();
    return this.#sessions
      .filter((one) => one.userId === userId && one.expiresAt > now && one.lastSeenAt > idleSince)
      .map(({ userId: _, ...session }) => session);
  }

  #end(fits: (session: StoredSession) => boolean): number {
    const kept = this.#sessions.filter((session) => !fits(session));
    const ended = this.#sessions.length - kept.length;
    this.#sessions = kept;
    return ended;
  }

  #revoke(call: Call, sessionId?: string): number {
    const { userId, userName } = this.#requireChangeable(call);
    const ended = this.#end((one) => one.userId === userId && (sessionId ?? one.id) === one.id);
    if (ended === 0) return 0;
    const event = { module: 'identity', action: 'session.revoked', targetId: userId, targetRef: userName };
    this.#world.record(call, { ...event, diff: { sessions: ended, ...(sessionId !== undefined && { sessionId }) } });
    return ended;
  }
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
