// Writes src/testing/request-rules.ts, what requests to each operation must be, from the schemas of the server's routes, and
// src/testing/catalogue-data.ts, the catalogue of controls: node packages/node-sdk/write-request-rules.ts. A test fails when
// one of the files is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../../server/app.ts';
import { catalogue } from '../../server/controls/catalogue/catalogue.ts';
import type { Route } from '../../server/http/route.ts';
import { knownVersions } from '../../server/http/versions.ts';
import { deriveSecrets } from '../../server/installation/secrets.ts';
import { AnchorLog } from '../../server/ledger/anchor-log.ts';
import { scopes } from '../../server/principal/scopes.ts';
import { presentConfig, presentResourceTypes, presentSchemas } from '../../server/scim/discovery.ts';
import { readSettings } from '../../server/settings.ts';
import { systemClock } from '../../server/storage/clock.ts';
import { openDatabase } from '../../server/storage/database.ts';
import type { Check, Rule } from './src/testing/rules.ts';

/** Where the written file stands. */
export const rulesFile: string = join(import.meta.dirname, 'src/testing/request-rules.ts');

// biome-ignore lint/suspicious/noExplicitAny: the definitions of schemas have many shapes, each looked at below
type Definition = any;

/** Where the catalogue stands. */
const catalogueFile: string = join(import.meta.dirname, 'src/testing/catalogue-data.ts');

/** The catalogue as the test server reads it. */
export function writeCatalogue(): string {
  return JSON.stringify({ frameworks: catalogue.frameworks, controls: catalogue.controls });
}

/** As it is, the catalogue would be as large as the rest of the package: so it is packed. */
function packCatalogue(): string {
  const lines =
    brotliCompressSync(writeCatalogue())
      .toString('base64')
      .match(/.{1,120}/g) ?? [];
  return `// Written by write-request-rules.ts from the catalogue of the server; not to be edited.

/** The catalogue of controls: JSON, packed with Brotli (RFC 7932), in base64. */
export const packedCatalogue = \`
${lines.join('\n')}
\`;
`;
}

/** What stands packed in the file now; empty where that is nothing. */
export function readPacked(): string {
  try {
    const [, packed = ''] = /`\n([^`]*)\n`/.exec(readFileSync(catalogueFile, 'utf8')) ?? [];
    return brotliDecompressSync(Buffer.from(packed, 'base64')).toString();
  } catch {
    return '';
  }
}

/** The text of the file: one line a rule and one an operation, so that a change shows where it is. */
export function writeRules(routes: readonly Route[]): string {
  const pool = new RulePool();
  const operations = routes
    // What only a browser with a session does, no program does.
    .filter(({ auth }) => auth === 'scope' || auth === 'public')
    .map((route) => [
      ...[route.operationId, route.method, route.path, route.scope, route.idempotencyKey, route.status],
      ...(['params', 'query', 'body'] as const).map((part) => {
        const schema = route[part];
        return schema === null ? null : pool.add(schema, `${route.operationId} ${part}`);
      }),
    ]);
  // Identity providers and OAuth clients have bodies of their own: these are known by name alone.
  const others = [
    ...routes
      .filter(({ surface }) => surface.base !== '/v1')
      .map(({ operationId, method, path, status }) => [operationId, method, path, status]),
    ['getLedgerKey', 'GET', '/.well-known/svc-ledger-key', 200],
  ];
  const frameworks = catalogue.frameworks.map(({ code, name }) => [code, name]);
  const locate = (path: string) => path;
  const described = {
    config: presentConfig(locate),
    schemas: presentSchemas(locate),
    resourceTypes: presentResourceTypes(locate),
  };
  const discovery = Object.entries(described)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n');
  const lines = (values: readonly unknown[]) => values.map((value) => `  ${JSON.stringify(value)}`).join(',\n');
  const table = `{\n"rules": [\n${lines(pool.rules)}\n],\n"operations": [\n${lines(operations)}\n],\n"others": [\n${lines(others)}\n],\n"scim": {\n${discovery}\n},\n"versions": ${JSON.stringify(knownVersions)},\n"scopes": ${JSON.stringify(scopes)},\n"frameworks": [\n${lines(frameworks)}\n]\n}`;
  return `// Written by write-request-rules.ts from the schemas of the server; not to be edited.
import type { RequestRules } from './rules.ts';

/** What requests to each operation must be. */
export const requestRules: RequestRules = JSON.parse(String.raw\`
${table}
\`);
`;
}

/** Rules that are alike are kept once, and named by their place. */
class RulePool {
  readonly rules: Rule[] = [];
  readonly #places = new Map<string, number>();

  add(schema: z.core.$ZodType, where: string): number {
    const rule = this.#describe(schema, where);
    const text = JSON.stringify(rule);
    const place = this.#places.get(text) ?? this.rules.push(rule) - 1;
    this.#places.set(text, place);
    return place;
  }

  #describe(schema: z.core.$ZodType, where: string): Rule {
    const definition = schema._zod.def as Definition;
    const checks = describeChecks(schema, where);
    const add = (inner: z.core.$ZodType, name = '') => this.add(inner, where + name);
    switch (definition.type) {
      case 'string':
      case 'number':
      case 'boolean':
        return [definition.type as 'string', ...checks];
      case 'unknown':
        return ['any'];
      case 'union': {
        const issue = messageOf(definition) ?? refuse(where);
        return ['union', definition.options.map((option: z.core.$ZodType) => add(option)), issue];
      }
      case 'null':
        return ['enum', [null as unknown as string]];
      case 'enum':
        return ['enum', Object.values<string>(definition.entries)];
      case 'array':
        return ['array', add(definition.element, '[]'), ...checks];
      case 'record':
        return ['record', add(definition.keyType, '{key}'), add(definition.valueType, '{}'), ...checks];
      case 'object': {
        if (definition.catchall?._zod.def.type !== 'never') throw new Error(`${where} takes unknown keys`);
        const shape = Object.entries(definition.shape as Record<string, z.core.$ZodType>);
        return ['object', Object.fromEntries(shape.map(([name, inner]) => [name, add(inner, `.${name}`)])), ...checks];
      }
      case 'optional':
      case 'nullable':
        return [definition.type as 'optional', add(definition.innerType), ...checks];
      case 'default':
      case 'prefault':
        return [definition.type, add(definition.innerType), definition.defaultValue];
      case 'pipe':
        return ['pipe', add(definition.in), add(definition.out), ...checks];
      case 'transform':
        return ['read', recognise(readers, String(definition.transform), where)];
      default:
        throw new Error(`${where}: no rule for ${definition.type}`);
    }
  }
}

function describeChecks(schema: z.core.$ZodType, where: string): readonly Check[] {
  const definition = schema._zod.def as Definition;
  // A format is a schema and a check at once.
  let unseen = 0;
  const own = (schema._zod as Definition).traits.has('$ZodCheck') ? [schema] : [];
  return [...own, ...(definition.checks ?? [])].flatMap((check: Definition): readonly Check[] => {
    const one = check._zod.def;
    const stop: readonly string[] = one.abort === true ? ['stop'] : [];
    switch (one.check) {
      case 'min_length':
        return [['min', one.minimum, ...stop] as unknown as Check];
      case 'max_length':
        return [['max', one.maximum, ...stop] as unknown as Check];
      case 'greater_than':
      case 'less_than':
        if (!one.inclusive) throw new Error(`${where}: only inclusive bounds`);
        return [[one.check === 'less_than' ? 'atMost' : 'atLeast', one.value]];
      case 'number_format':
        return [['int']];
      case 'overwrite':
        return [[recognise(changes, String(one.tx), where, probe(one.tx))] as unknown as Check];
      case 'string_format':
        return [
          ['pattern', one.pattern.source, one.pattern.flags, messageOf(one) ?? formats[one.format] ?? refuse(where)],
        ];
      case 'custom': {
        if (one.fn === undefined) {
          const rule = refinements[where]?.[unseen++] ?? refuse(where);
          return [['rule', ...rule] as Check];
        }
        // The same words over two patterns: of one line, and of several.
        const isText = String(one.fn).includes('!deceptive.test(text)');
        const name = isText ? (one.fn('\n') ? 'lines' : 'line') : recognise(conditions, String(one.fn), where);
        return [['rule', name, messageOf(one) as string, ...readArguments(name, one)]];
      }
      default:
        throw new Error(`${where}: no rule for the check ${one.check}`);
    }
  });
}

/** What a condition is told besides the value. */
function readArguments(name: string, one: Definition): readonly string[] {
  if (name === 'ownCode') return catalogue.codeLetters;
  // The number is only in the words.
  if (name === 'atMostKeys') return messageOf(one)?.match(/\d+/) ?? [];
  return one.path ?? [];
}

const messageOf = (definition: Definition): string | undefined => definition.error?.({});
const refuse = (where: string): never => {
  throw new Error(`${where} has a refinement that no rule is named for`);
};
const probe = (change: (text: string) => string) => change(' Ab\r\n');
const formats: Readonly<Record<string, string>> = { uuid: 'Invalid UUID', datetime: 'Invalid ISO datetime' };

/** What is written in the table for functions of the server: each is told by a piece of its text, or by what it does. */
const readers: Readonly<Record<string, string>> = {
  'function Number()': 'number',
  'new Date(time).toISOString()': 'time',
  getCanonicalLocales: 'language',
  "includes('#')": 'webhookUrl',
  'normalizeWebAddress(': 'webAddress',
  sortTypes: 'asItIs',
  'normalizeDomain(': 'domain',
  'normalizeEmail(': 'email',
};
const changes: Readonly<Record<string, string>> = {
  '=Ab': 'trim',
  '= ab\r\n': 'lower',
  '= AB\r\n': 'upper',
  '= Ab\n': 'lines',
};
const conditions: Readonly<Record<string, string>> = {
  Default_Ignorable_Code_Point: 'visible',
  'time.length ===': 'year',
  'Object.keys(change).length > 0': 'anyField',
  'webhookId !== undefined || from': 'narrowed',
  'from < to': 'span',
  'new Set(values).size': 'distinct',
  "outcome === 'fulfilled'": 'reasoned',
  'id === undefined) !== (sequence': 'oneName',
  '!catalogueForm.test': 'ownCode',
  'findFramework(code) !== undefined': 'framework',
  'Object.keys(entries).length <= maximum': 'atMostKeys',
  'Object.keys(filter).length > 0': 'anyPath',
  'JSON.stringify(filter).length': 'filterLength',
};
/** Refinements whose function cannot be seen, by where they stand, in their order. */
const refinements: Readonly<Record<string, readonly (readonly [string, string, ...string[]])[]>> = {
  'createConsentNotice body.purposes': [['distinctBy', 'is used twice', 'key']],
  'editConsentNotice body.purposes': [['distinctBy', 'is used twice', 'key']],
  'adoptFrameworks body.frameworks': [['frameworks', 'is named twice']],
  'createWebhook body.eventTypes': [['distinctBy', 'stands there already']],
  'editWebhook body.eventTypes': [['distinctBy', 'stands there already']],
  'createWebhook body.filter{}': [['distinctBy', 'stands there already']],
  'editWebhook body.filter{}': [['distinctBy', 'stands there already']],
  'createWebhook body.retrySchedule': [['ascending', 'must be later than the one before it']],
  'editWebhook body.retrySchedule': [['ascending', 'must be later than the one before it']],
  'createControl body.mappings': [['mappings', 'is named twice']],
  'editControl body.mappings': [['mappings', 'is named twice']],
  'reportBreach body.dataCategories': [['distinctBy', 'is named twice']],
  'editBreach body.dataCategories': [['distinctBy', 'is named twice']],
  'editTenant body.sso.attributeMap.scimGroupRoleMap': [
    ['roleGroups', 'differs from another group in case alone, with another role'],
  ],
  'replaceTrustCenter body.frameworks': [
    ['distinctBy', 'stands there already', 'code'],
    ['expiry', 'must be after achievedAt'],
  ],
  'replaceTrustCenter body.links': [['distinctLabels', 'stands there already']],
  'replaceTrustCenter body.subprocessors': [['distinctBy', 'stands there already']],
};

function recognise(names: Readonly<Record<string, string>>, source: string, where: string, effect = ''): string {
  const found = Object.entries(names).find(([piece]) =>
    piece[0] === '=' ? effect === piece.slice(1) : source.includes(piece),
  );
  return found?.[1] ?? refuse(`${where} (${source.slice(0, 80)})`);
}

/** The routes of a server. */
export async function readRoutes(): Promise<readonly Route[]> {
  await using database = openDatabase({ url: null, file: ':memory:' });
  const dispose = () => database.close();
  const secrets = deriveSecrets('');
  const anchors = new AnchorLog('', secrets.signer.verifier);
  const installation = { settings: readSettings({}), clock: systemClock, database, anchors, ...secrets };
  const app = createApp({ ...installation, [Symbol.asyncDispose]: dispose }, { log: pino({ level: 'silent' }) });
  return app.routes;
}

if (import.meta.main) {
  writeFileSync(rulesFile, writeRules(await readRoutes()));
  // Two versions of Node may pack the same differently.
  if (readPacked() !== writeCatalogue()) writeFileSync(catalogueFile, packCatalogue());
}
