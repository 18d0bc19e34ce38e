import { roleIds } from '../principal/roles.ts';
import { groupUrn } from './group.ts';
import { userUrn } from './user.ts';

export const schemaUrn = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** An attribute as a schema describes it (RFC 7643 section 7). */
export interface AttributeDefinition {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly canonicalValues?: readonly string[];
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'default';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly AttributeDefinition[];
}

export interface SchemaDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly AttributeDefinition[];
}

type Options = Partial<Omit<AttributeDefinition, 'name' | 'type' | 'description'>>;

/** What an attribute is unless more is said. */
function describe(name: string, type: AttributeDefinition['type'], description: string) {
  return {
    name,
    type,
    description,
    multiValued: false,
    required: false,
    mutability: 'readOnly',
    returned: 'default',
  } as const;
}

function text(name: string, description: string, options: Options = {}): AttributeDefinition {
  return { ...describe(name, 'string', description), caseExact: false, uniqueness: 'none', ...options };
}

function flag(name: string, description: string, options: Options = {}): AttributeDefinition {
  return { ...describe(name, 'boolean', description), ...options };
}

function complex(
  name: string,
  description: string,
  subAttributes: readonly AttributeDefinition[],
  options: Options = {},
): AttributeDefinition {
  return { ...describe(name, 'complex', description), ...options, subAttributes };
}

/** What a user has. What only a POST sets is immutable here, so that nobody who goes by the schema tries to patch it. */
const user: SchemaDefinition = {
  id: userUrn,
  name: 'User',
  description: 'A member of the tenant',
  attributes: [
    text('userName', 'The e-mail address', { required: true, mutability: 'immutable', uniqueness: 'server' }),
    text('externalId', 'The id that the identity provider gave', { caseExact: true, mutability: 'immutable' }),
    complex(
      'name',
      'The name of the person',
      [
        text('formatted', 'The whole name'),
        text('givenName', 'The given name', { mutability: 'immutable' }),
        text('familyName', 'The family name', { mutability: 'immutable' }),
      ],
      { mutability: 'immutable' },
    ),
    text('displayName', 'The name, else the e-mail address'),
    complex(
      'emails',
      'The e-mail address',
      [text('value', 'The address'), text('type', 'Always work'), flag('primary', 'Always true')],
      { multiValued: true },
    ),
    flag('active', 'Whether the membership is active; false suspends it', { mutability: 'readWrite' }),
    complex(
      'roles',
      'The one role of the person',
      [
        text('value', 'The role', { caseExact: true, canonicalValues: roleIds, mutability: 'readWrite' }),
        flag('primary', 'Which of several counts', { mutability: 'readWrite' }),
      ],
      { multiValued: true, mutability: 'readWrite' },
    ),
    complex(
      'groups',
      'The role group that the person stands in',
      [text('value', 'The id of the group', { caseExact: true }), text('type', 'Always direct')],
      { multiValued: true },
    ),
  ],
};

const group: SchemaDefinition = {
  id: groupUrn,
  name: 'Group',
  description: 'The members who have a role; the groups are fixed',
  attributes: [
    text('displayName', 'The role, or the name that the tenant mapped to it', {
      required: true,
      mutability: 'immutable',
      uniqueness: 'server',
    }),
    complex(
      'members',
      'Who is in the group',
      [
        text('value', 'The id of a user', { caseExact: true, mutability: 'immutable' }),
        text('display', 'The userName of the user'),
      ],
      { multiValued: true, mutability: 'readWrite' },
    ),
  ],
};

export const schemaDefinitions: readonly SchemaDefinition[] = [user, group];
