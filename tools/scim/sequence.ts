import type { Role } from '../../server/principal/roles.ts';
import type { Expectation } from './match.ts';

export const providers = ['entra', 'okta', 'authentik', 'keycloak', 'jumpcloud', 'onelogin'] as const;
export type Provider = (typeof providers)[number];

/** The tenant setting `scimCompatibility` that a sequence is played against. */
export type Setting = 'strict' | 'extended';

/** What a provider sends in its life with one tenant, in order, and what must have come of it. */
export interface Sequence {
  /** As it is shown: `okta, OIN app`. */
  readonly name: string;
  readonly provider: Provider;
  readonly setting: Setting;
  /** How the requests are known. */
  readonly source: string;
  /** What the provider sends with every request; a Content-Type only with a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** The role groups that the provider works with; they must be empty before. */
  readonly roles: readonly Role[];
  readonly steps: readonly Step[];
  readonly expected: readonly ExpectedMember[];
  /** How many requests the letter refuses and the setting `extended` took: each is audited. */
  readonly extendedUses: number;
}

export interface ScimRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /scim/v2, with the query. */
  readonly path: string;
  readonly body?: object;
}

export interface ExpectedAnswer {
  readonly status: number;
  /** What the provider reads of the body; absent for none. */
  readonly body?: Expectation;
}

/** One request of a provider. */
export interface Step {
  /** In words: "asks whether Ana is there". */
  readonly does: string;
  request(scene: Scene): ScimRequest;
  answer(scene: Scene): ExpectedAnswer;
  /** The name under which the resource of the answer is kept, with its id. */
  readonly keep?: string;
}

/** What a sequence knows while it is played. */
export interface Scene {
  /** The address of a person, another one in each run. */
  email(who: string): string;
  /** An id that the provider gave, another one in each run. */
  externalId(who: string): string;
  /** What the provider calls the group of a role. */
  group(role: Role): string;
  /** The resource that was kept under a name. @throws when there is none, because the step that keeps it failed. */
  resource(name: string): Readonly<Record<string, unknown>>;
  /** Its id. */
  id(name: string): string;
}

/** What must have become of a person. */
export type ExpectedMember =
  | {
      readonly who: string;
      readonly status: 'active' | 'suspended';
      readonly role: Role;
      /** Whether the role group shows the person. */
      readonly isInGroup: boolean;
      /** What the person is called; not looked at where it is left out. */
      readonly displayName?: string;
    }
  | { readonly who: string; readonly status: 'deleted' };

/** Active, with a role. */
export function active(who: string, role: Role, displayName?: string): ExpectedMember {
  return { who, status: 'active', role, isInGroup: true, ...(displayName !== undefined && { displayName }) };
}

/** Suspended by `active: false`: still in the group. */
export function deactivated(who: string, role: Role, displayName?: string): ExpectedMember {
  return { who, status: 'suspended', role, isInGroup: true, ...(displayName !== undefined && { displayName }) };
}

/** Suspended by the removal from the group. */
export function removed(who: string, role: Role, displayName?: string): ExpectedMember {
  return { who, status: 'suspended', role, isInGroup: false, ...(displayName !== undefined && { displayName }) };
}

export function deleted(who: string): ExpectedMember {
  return { who, status: 'deleted' };
}
