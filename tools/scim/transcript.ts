import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../../server/http/roles.ts';
import { areMembers, type Expectation, isAbsent, isInteger, isText } from './match.ts';

export const providers = ['entra', 'okta', 'authentik', 'keycloak', 'jumpcloud', 'onelogin'] as const;
type Provider = (typeof providers)[number];

/** The tenant setting `scimCompatibility` that a sequence is played against. */
export type Setting = 'strict' | 'extended';

/** The requests of a provider during its life with one tenant, in order, and the members that must result. */
export interface Sequence {
  /** For the report: `Okta, OIN app`. */
  readonly name: string;
  readonly provider: Provider;
  readonly setting: Setting;
  /** How the requests are known. */
  readonly source: string;
  /** Sent with every request; a Content-Type only with a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** The role groups that the provider works with; they must be empty before. */
  readonly roles: readonly Role[];
  readonly steps: readonly Step[];
  readonly expected: readonly ExpectedMember[];
  /** The number of requests that only the setting `extended` accepts: each is audited. */
  readonly extendedUses: number;
}

interface ScimRequest {
  readonly method: string;
  /** Below /scim/v2, with the query. */
  readonly path: string;
  readonly body?: object;
}

interface ExpectedAnswer {
  readonly status: number;
  /** The fields of the body that the provider reads. */
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

/** The values that differ in each run. */
export interface Scene {
  /** The address of a person. */
  email(who: string): string;
  /** An id that the provider gave. */
  externalId(who: string): string;
  /** The provider's name of the group of a role. */
  group(role: string): string;
  /** The resource that was kept under a name. @throws if there is none, because the step that keeps it failed. */
  resource(name: string): Readonly<Record<string, unknown>>;
  /** Its id. */
  id(name: string): string;
}

/** The state of a person at the end. */
export type ExpectedMember =
  | {
      readonly who: string;
      readonly status: 'active' | 'suspended';
      readonly role: Role;
      /** True if the role group shows the person. */
      readonly isInGroup: boolean;
      /** Not checked if it is missing. */
      readonly displayName?: string;
    }
  | { readonly who: string; readonly status: 'deleted' };

// Written out, not taken from the server: a provider does not know the server's constants.
const urns = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
};

type Fields = Readonly<Record<string, unknown>>;

/** A part of a transcript that is for one setting or kind of variant; if it names several, for both together. */
interface Conditional {
  readonly when?: string | readonly string[];
}

interface RecordedAnswer {
  /** 200 if it is missing. */
  readonly status?: number;
  readonly answer?: Fields;
  /** The resources of a list, in place of `answer`. */
  readonly list?: readonly Fields[];
}

/**
 * A step of a transcript. Values that differ in each run are placeholders: `{email Ana}`, `{EMAIL Ana}` in capital letters,
 * `{externalId Ana}`, `{id Ana}`, `{group auditor}`. `{members Ana, Ben}` is a list of members, `{text}`, `{integer}` and
 * `{absent}` check a value of an answer, and `"..."` adds the fields of a `user`, a `group` or a kept `resource`.
 */
interface RecordedStep extends Conditional, RecordedAnswer {
  readonly does: string;
  /** The method and the path below /scim/v2, as it is sent. */
  readonly send: string;
  readonly body?: Fields;
  /** The operations of a PATCH, in place of `body`. */
  readonly operations?: readonly Fields[];
  /** The form in which the provider writes `{each}` of the members. */
  readonly member?: Fields;
  /** The answer by the letter of the specification, if it differs from that with the setting `extended`. */
  readonly strict?: RecordedAnswer;
  readonly keep?: string;
}

/** Steps under their name in `recorded`, with values for their placeholders, or with other fields. */
type RecordedUse = Conditional & { readonly step: string } & Fields;

/** A file in providers/ has the transcripts of one provider, each of which may exist in variants. */
interface Transcript extends Pick<Sequence, 'source' | 'headers' | 'roles'> {
  /** Names of sequences, with the values of their placeholders. */
  readonly variants: readonly ({ readonly name: string; readonly kind?: string } & Fields)[];
  readonly recorded: Readonly<Record<string, readonly RecordedStep[]>>;
  readonly steps: readonly (RecordedStep | RecordedUse)[];
  readonly expected: readonly (ExpectedMember & Conditional)[];
  /** With the setting `extended`. */
  readonly extendedUses: number;
}

const settings: readonly Setting[] = ['strict', 'extended'];

/** Every sequence, in the order in which they are played. */
export const sequences: readonly Sequence[] = providers.flatMap((provider) => {
  const file = join(import.meta.dirname, 'providers', `${provider}.json`);
  const transcripts: readonly Transcript[] = JSON.parse(readFileSync(file, 'utf8'));
  return settings.flatMap((setting) =>
    transcripts.flatMap((transcript) =>
      transcript.variants.map((variant) => readSequence(provider, transcript, setting, variant)),
    ),
  );
});

function readSequence(
  provider: Provider,
  { source, headers, roles, recorded, steps, expected, extendedUses }: Transcript,
  setting: Setting,
  variant: Transcript['variants'][number],
): Sequence {
  const applies = ({ when = [] }: Conditional) =>
    [when].flat().every((word) => word === setting || word === variant.kind);
  const expand = (use: RecordedStep | RecordedUse): readonly RecordedStep[] => {
    const values: Fields = { ...variant, ...use };
    const named = 'step' in use ? recorded[use.step] : [use];
    if (named === undefined) throw new Error(`${provider}.json has no recorded step ${values.step}.`);
    // The condition of a use was checked before.
    const found = named.filter(applies).map((step) => ({ ...step, ...use }));
    return found.map((step) => fill(step, (name) => values[name]) as RecordedStep);
  };
  return {
    name: variant.name,
    provider,
    setting,
    source,
    headers,
    roles,
    steps: steps
      .filter(applies)
      .flatMap(expand)
      .map((step) => readStep(step, setting)),
    expected: expected.filter(applies),
    extendedUses: setting === 'extended' ? extendedUses : 0,
  };
}

function readStep(step: RecordedStep, setting: Setting): Step {
  const { does, send, body, operations, member = { value: '{id {each}}' }, keep } = step;
  const { status = 200, answer, list } = (setting === 'strict' && step.strict) || step;
  const [method = ''] = send.split(' ');
  if (status < 204 && answer === undefined && list === undefined) throw new Error(`"${does}" expects nothing.`);
  return {
    does,
    request(scene) {
      const content = operations === undefined ? body : { schemas: [urns.patch], Operations: operations };
      const members = (whos: readonly string[]) =>
        whos.map((who) =>
          bind(
            fill(member, () => who),
            scene,
          ),
        );
      return {
        method,
        path: insert(send.slice(method.length + 1), scene, encodeURIComponent),
        ...(content !== undefined && { body: bind(content, scene, members) as object }),
      };
    },
    answer(scene) {
      const members = (whos: readonly string[]) => areMembers(whos.map((who) => scene.id(who)));
      const size = list && { totalResults: list.length, itemsPerPage: list.length, startIndex: 1 };
      const shown = list ? { schemas: [urns.list], ...size, Resources: list } : answer;
      return { status, ...(shown !== undefined && { body: bind(shown, scene, members) as Expectation }) };
    },
    ...(keep !== undefined && { keep }),
  };
}

/** Replaces the placeholders that have a value: `{name}` in a text, or as a whole by a value of any type. */
function fill(value: unknown, find: (name: string) => unknown): unknown {
  return mapTexts(value, (text) => {
    const whole = /^\{(\w+)\}$/.exec(text)?.[1];
    if (whole !== undefined) return find(whole) ?? text;
    return text.replace(/\{(\w+)\}/g, (placeholder, name) => String(find(name) ?? placeholder));
  });
}

const checks: Readonly<Record<string, Expectation>> = {
  '{text}': isText,
  '{integer}': isInteger,
  '{absent}': isAbsent,
};

/** Replaces the placeholders of a run. @param members converts `{members …}`. */
function bind(value: unknown, scene: Scene, members: (whos: readonly string[]) => unknown = () => []): unknown {
  const bindText = (text: string) => {
    const whos = /^\{members ?([\w, ]*)\}$/.exec(text)?.[1];
    if (whos !== undefined) return members(whos.split(', ').filter((who) => who !== ''));
    return checks[text] ?? insert(text, scene);
  };
  return mapTexts(value, bindText, (reference) => readFields(reference, scene));
}

/** @throws for a placeholder that is unknown, or that no value was given for. */
function insert(text: string, scene: Scene, encode = (part: string) => part): string {
  return text.replace(/\{(\w*) ?(\w*).*?\}/g, (placeholder, kind: string, name: string) => {
    if (kind === 'EMAIL') return encode(scene.email(name).toUpperCase());
    if (kind === 'email' || kind === 'externalId' || kind === 'group' || kind === 'id')
      return encode(scene[kind](name));
    throw new Error(`there is no value for ${placeholder}`);
  });
}

/** The fields of `"...": "user Ana"`: those that a provider reads of every user or group, or a kept resource. */
function readFields(reference: string, scene: Scene): Fields {
  const [kind, name = ''] = reference.split(' ');
  if (kind === 'resource') return scene.resource(name);
  if (kind === 'group')
    return {
      schemas: [urns.group],
      id: name,
      displayName: scene.group(name),
      meta: { resourceType: 'Group', location: isText },
    };
  const userName = scene.email(name);
  return {
    schemas: [urns.user],
    id: isText,
    userName,
    displayName: isText,
    emails: [{ value: userName, primary: true }],
    meta: { resourceType: 'User', created: isText, lastModified: isText, location: isText },
  };
}

/** Copies a value of JSON with other texts. @param spread the fields that `"..."` stands for. */
function mapTexts(value: unknown, map: (text: string) => unknown, spread?: (reference: string) => Fields): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, spread));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    if (name === '...' && spread !== undefined) return Object.entries(spread(map(item) as string));
    return [[map(name) as string, mapTexts(item, map, spread)] as const];
  });
  return Object.fromEntries(entries);
}
