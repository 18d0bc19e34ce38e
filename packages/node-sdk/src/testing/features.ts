import { evidenceHandlers } from './control-evidence.ts';
import { overviewHandlers } from './control-overview.ts';
import { controlTestHandlers } from './control-tests.ts';
import { Controls } from './controls.ts';
import { Invitations } from './invitations.ts';
import type { Keys } from './keys.ts';
import { ProvableLedger } from './ledgers.ts';
import { Members } from './members.ts';
import type { NoteSigner } from './note-signer.ts';
import { Notices } from './notices.ts';
import { breachHandlers, dsrHandlers } from './privacy.ts';
import { Records } from './records.ts';
import { type ScimHandlers, scimDiscoveryHandlers } from './scim.ts';
import { scimGroupHandlers } from './scim-groups.ts';
import { ScimTokens } from './scim-token.ts';
import { scimUserHandlers } from './scim-users.ts';
import { DeliverySettler } from './settle-deliveries.ts';
import { tenantHandlers } from './tenant-settings.ts';
import { trustHandlers } from './trust.ts';
import { Users } from './users.ts';
import { deliveryHandlers } from './webhook-deliveries.ts';
import { WebhookState } from './webhook-state.ts';
import { webhookHandlers } from './webhooks.ts';
import { auditHandlers, type Handlers, type World } from './world.ts';

/** Everything that a server keeps, from nothing. */
export interface Features {
  readonly handlers: Handlers;
  readonly scim: ScimHandlers;
  readonly scimTokens: ScimTokens;
  readonly members: Members;
  readonly users: Users;
  readonly invitations: Invitations;
  readonly webhooks: WebhookState;
  readonly settler: DeliverySettler;
}

/** What of a server lasts longer than a reset. */
export interface Lasting {
  readonly keys: Keys;
  readonly signer: NoteSigner;
  readonly scimToken: string;
  /** The address of the server. */
  readonly locate: () => string;
}

/** Makes the features of a server. */
export function createFeatures(world: World, { keys, signer, scimToken, locate }: Lasting, now: string): Features {
  const webhooks = new WebhookState(world);
  const members = new Members(world);
  const users = new Users(world, members);
  const invitations = new Invitations(world, members);
  const controls = new Controls(world, members);
  const notices = new Notices(world);
  const scimTokens = new ScimTokens(world, scimToken, now);
  return {
    handlers: {
      ...notices.handlers(),
      ...new Records(world, notices).handlers(),
      ...auditHandlers(world),
      ...new ProvableLedger(world, signer, 'audit').handlers(),
      ...new ProvableLedger(world, signer, 'consent').handlers(),
      ...dsrHandlers(world),
      ...breachHandlers(world),
      ...overviewHandlers(controls),
      ...controls.handlers(),
      ...evidenceHandlers(controls),
      ...controlTestHandlers(controls),
      ...tenantHandlers(world),
      ...users.handlers(),
      ...invitations.handlers(),
      ...webhookHandlers(world, webhooks),
      ...deliveryHandlers(world, webhooks),
      ...trustHandlers(world, locate),
      ...keys.handlers(),
      ...scimTokens.handlers(),
    },
    scim: { ...scimDiscoveryHandlers(), ...scimUserHandlers(world, members), ...scimGroupHandlers(world, members) },
    ...{ scimTokens, members, users, invitations, webhooks, settler: new DeliverySettler(world, webhooks) },
  };
}
