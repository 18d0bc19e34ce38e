import type { Role } from '../../server/principal/roles.ts';
import { areMembers, type Expectation, isText } from './match.ts';
import type { ExpectedAnswer, Scene, ScimRequest } from './sequence.ts';

// Written out, not taken from the server: a provider does not know what the server thinks they are.
export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A PATCH with operations as they are written. */
export function patch(path: string, ...operations: readonly object[]): ScimRequest {
  return { method: 'PATCH', path, body: { schemas: [patchUrn], Operations: operations } };
}

export function get(path: string): ScimRequest {
  return { method: 'GET', path };
}

/** `attribute eq "value"`, with spaces as %20. */
export function filter(attribute: string, value: string): string {
  return `filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`;
}

/** The same with spaces as +, as form encoding writes them. */
export function formFilter(attribute: string, value: string): string {
  return new URLSearchParams({ filter: `${attribute} eq "${value}"` }).toString();
}

/** Users as members of a group, with what the provider writes besides the id. */
export function memberValues(scene: Scene, whos: readonly string[], extra: object = {}): readonly object[] {
  return whos.map((who) => ({ ...extra, value: scene.id(who) }));
}

/** A list with these resources. */
export function listOf(...resources: readonly Expectation[]): ExpectedAnswer {
  const shown = { totalResults: resources.length, itemsPerPage: resources.length, startIndex: 1 };
  return { status: 200, body: { schemas: [listUrn], ...shown, Resources: resources } };
}

/** A user as providers read it. */
export function userOf(scene: Scene, who: string, attributes: { readonly [name: string]: Expectation } = {}) {
  const userName = scene.email(who);
  return {
    schemas: [userUrn],
    id: isText,
    userName,
    displayName: isText,
    emails: [{ value: userName, primary: true }],
    meta: { resourceType: 'User', created: isText, lastModified: isText, location: isText },
    ...attributes,
  };
}

/** A group as providers read it, with its members where they are named. */
export function groupOf(scene: Scene, role: Role, whos?: readonly string[]) {
  return {
    schemas: [groupUrn],
    id: role,
    displayName: scene.group(role),
    meta: { resourceType: 'Group', location: isText },
    ...(whos !== undefined && { members: areMembers(whos.map((who) => scene.id(who))) }),
  };
}

/** A refusal in the form of RFC 7644 section 3.12. */
export function refused(status: number, scimType?: string): ExpectedAnswer {
  return { status, body: scimType === undefined ? {} : { scimType } };
}

/** 204: done, without a body. */
export const done: ExpectedAnswer = { status: 204 };
