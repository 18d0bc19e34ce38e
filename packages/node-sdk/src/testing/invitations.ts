import { randomBytes } from 'node:crypto';
import type { CreatedInvitation, Invitation, InvitationInput } from '../types/api.ts';
import { canSignIn, type Doing, type Members } from './members.ts';
import { notFound, Refusal } from './refusal.ts';
import { requireRoleToGive } from './roles.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

const week = 7 * 24 * 3_600_000;
type Stored = Omit<CreatedInvitation, 'status'>;

/** The invitations of the tenant. */
export class Invitations {
  readonly #world: World;
  readonly #members: Members;
  /** Oldest first. */
  readonly #stored = new Map<string, Stored>();

  constructor(world: World, members: Members) {
    this.#world = world;
    this.#members = members;
    members.onRemoved = (userIds, doing) => {
      const emails = userIds.map((id) => members.emailOf(id));
      const removed = { ...doing, reason: 'The member was removed' };
      this.#close(removed, 'revokedAt', ({ email }) => emails.includes(email));
    };
  }

  /** The operations on invitations. */
  handlers(): Handlers {
    return {
      listInvitations: ({ query, now }) => {
        const views = [...this.#stored.values()].reverse().map((one) => view(one, now));
        return pageOf(views, ({ id }) => id, ['invitations'], query);
      },
      inviteUser: (call: Call<InvitationInput>) => this.#invite(call),
      revokeInvitation: (call) => {
        const { now, params } = call;
        this.#close({ call, now, reason: '' }, 'revokedAt', ({ id }) => id === params.id);
        const stored = this.#stored.get(params.id ?? '');
        if (stored === undefined) throw notFound('invitation');
        return view(stored, now);
      },
    };
  }

  /** Takes an invitation, as the person would do who was sent it. @throws {TypeError} when it cannot be taken. */
  accept(token: string, now: string): string {
    const found = [...this.#stored.values()].find((one) => one.token === token);
    if (found === undefined || statusOf(found, now) !== 'pending')
      throw new TypeError('The invitation is unknown, used, revoked or expired');
    const { id, email, role } = found;
    const member = this.#members.findByEmail(email);
    if (member !== undefined && (member.role !== role || !canSignIn({ ...member, isAccepted: true })))
      throw new TypeError('The member was suspended or given another role since');
    const userId = member?.userId ?? this.#members.personOf(email);
    const doing = { call: null, now, reason: 'Invitation taken', person: { id: userId, email } };
    this.#close({ ...doing, reason: '' }, 'acceptedAt', (one) => one.id === id);
    if (member !== undefined) this.#members.change(doing, [userId], { isAccepted: true });
    else this.#members.add(doing, { email, role, isActivated: true, isAccepted: true });
    this.#members.recordAccount(doing, 'password_changed', userId);
    return userId;
  }

  #invite(call: Call<InvitationInput>): CreatedInvitation {
    const { now, body } = call;
    const { email } = body;
    const member = this.#members.findByEmail(email);
    if (member !== undefined && !(member.isActivated && member.isAssigned))
      throw conflict('This member is suspended; make them active again instead of inviting them.');
    if (member !== undefined && body.role !== undefined && body.role !== member.role)
      throw conflict(`This person is a member with the role ${member.role}; change the role there.`);
    const role = member?.role ?? body.role ?? this.#world.tenant.defaultRole;
    requireRoleToGive(call.scopes, role);
    const doing = { call, now, reason: '' };
    this.#close(doing, 'revokedAt', (one) => one.email === email);
    const token = `svc_invitation_${randomBytes(19).toString('hex')}`;
    const expiresAt = new Date(Date.parse(now) + week).toISOString();
    const none = { acceptedAt: null, revokedAt: null };
    const invitation: Stored = { id: newId(), email, role, createdAt: now, expiresAt, ...none, token };
    this.#stored.set(invitation.id, invitation);
    this.#record(doing, 'created', invitation, { role, expiresAt });
    return { ...view(invitation, now), token };
  }

  /** Closes the open ones that fit. */
  #close(doing: Doing, field: 'acceptedAt' | 'revokedAt', fits: (one: Stored) => boolean): void {
    for (const one of this.#stored.values()) {
      if (statusOf(one, doing.now) !== 'pending' || !fits(one)) continue;
      const closed = { ...one, [field]: doing.now };
      this.#stored.set(one.id, closed);
      this.#record(doing, field === 'acceptedAt' ? 'accepted' : 'revoked', closed, {});
    }
  }

  #record({ call, now, reason, person }: Doing, verb: string, invitation: Stored, diff: object): void {
    const { id: targetId, email: targetRef } = invitation;
    const event = { module: 'identity', action: `invitation.${verb}`, targetId, targetRef, ...(person && { person }) };
    const told = { ...diff, stateHash: stateHash(invitation) };
    this.#world.record(call, { ...event, diff: told, ...(reason !== '' && { reason }) }, now);
  }
}

function statusOf({ acceptedAt, revokedAt, expiresAt }: Stored, now: string): Invitation['status'] {
  if (acceptedAt !== null) return 'accepted';
  if (revokedAt !== null) return 'revoked';
  return expiresAt <= now ? 'expired' : 'pending';
}

function view({ token: _, ...shown }: Stored, now: string): Invitation {
  return { ...shown, status: statusOf({ ...shown, token: '' }, now) };
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
