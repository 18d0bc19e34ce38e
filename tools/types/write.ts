// Writes what the packages have of server/openapi.json: `npm run types`. A test compares the files with the document.
import { readFileSync, writeFileSync } from 'node:fs';
import { type ApiDocument, type ApiOperation, listOperations, quote, type Schema, TypeWriter } from './type-writer.ts';
import { writeMethods } from './write-methods.ts';

const documentUrl = new URL('../../server/openapi.json', import.meta.url);
const notice = '// Generated from server/openapi.json by tools/types/write.ts.\n';

/** Writes the types of what the operations of the SDK send and receive. */
function writeApiTypes(document: ApiDocument): string {
  const { writer, results } = writeOperations(document, isInSdk);
  return `// biome-ignore-all lint/suspicious/noConfusingVoidType: it is what the methods return
${notice}import type { ByteStream, Page } from '../transport.ts';
import type { Items, Json, PageParams, ScimProjection, Time } from './values.ts';

${writer.write()}
${results}`;
}

/** Writes what the dashboard needs besides the SDK: the operations of a session, and the scope of every operation. */
function writeDashboardTypes(document: ApiDocument): string {
  const sdkNames = writeOperations(document, isInSdk).writer.names;
  const { writer, results } = writeOperations(
    document,
    (one) => !isInSdk(one) && !one.operationId.endsWith('AccessToken'),
  );
  const types = writer.write(sdkNames);
  const imported = sdkNames.filter((name) => new RegExp(`\\b${name}\\b`).test(types + results));
  const scopes = listOperations(document).flatMap(({ operation }) => {
    const scope = operation['x-scope'];
    return scope === undefined ? [] : [`  ${operation.operationId}: '${scope}',\n`];
  });
  return `// biome-ignore-all format: generated
${notice}import type { Page } from '../../../packages/node-sdk/src/transport.ts';
import type { ${imported.join(', ')} } from '../../../packages/node-sdk/src/types/api.ts';
import type { Items } from '../../../packages/node-sdk/src/types/values.ts';

${types}
${results}
/** The scope that each operation needs. */
export const operationScopes = {
${scopes.join('')}} as const;

${writeChoices(document)}`;
}

/** The values of every enumeration, for the fields and filters that offer them: `roleValues` of `Role`. */
function writeChoices({ components }: ApiDocument): string {
  return Object.entries(components.schemas)
    .filter(([, schema]) => schema.enum !== undefined && schema.enum.length > 1)
    .map(([name, schema]) => {
      const constant = `${name[0]?.toLowerCase()}${name.slice(1)}Values`;
      return `export const ${constant} = [${schema.enum?.map(quote).join(', ')}] as const;\n`;
    })
    .join('');
}

function isInSdk(operation: ApiOperation): boolean {
  return operation['x-sdk-method'] !== undefined;
}

function writeOperations(document: ApiDocument, isIncluded: (operation: ApiOperation) => boolean) {
  const writer = new TypeWriter(document, false);
  const results: string[] = [];
  for (const { path, operation } of listOperations(document)) {
    if (!isIncluded(operation)) continue;
    writer.queryType(operation, path);
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) writer.type(schema, 'sent');
    results.push(`  readonly ${operation.operationId}: ${writer.resultType(operation)};\n`);
  }
  return {
    writer,
    results: `/** What the method of each operation returns, by its id in the OpenAPI document. */
export interface OperationResults {
${results.join('')}}
`,
  };
}

/** Writes the types of the data of each event. */
export function writeEventTypes(document: ApiDocument): string {
  const writer = new TypeWriter(document, true, (name) => name.replace(/EventData$/, 'Data'));
  const members = listEvents(document).map(
    ({ type, data }) => `  readonly '${type}': ${writer.type(data, 'received')};\n`,
  );
  return `${notice}
/** Values known today; a newer server may send others. */
type Open<Known extends string> = Known | (string & Record<never, never>);

${writer.write()}
/** The data of each type of event. */
export interface EventData {
${members.join('')}}
`;
}

/** Writes what is checked of the data of each event. */
function writeEventShapes(document: ApiDocument): string {
  const { schemas } = document.components;
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  const kind = (given: Schema, isOptional: boolean): string => {
    const schema = resolve(given);
    if (schema.properties !== undefined) return shape(schema);
    const [type, ...others] = [schema.type].flat();
    const orNull = others.includes('null') ? ' or null' : '';
    if (typeof schema.additionalProperties === 'object')
      return `'an object of ${resolve(schema.additionalProperties).type}s${orNull}'`;
    const article = type === 'integer' ? 'an' : 'a';
    return `'${article} ${type}${orNull}${isOptional ? ', or absent' : ''}'`;
  };
  const shape = ({ properties = {}, required = [] }: Schema): string =>
    `{ ${Object.entries(properties)
      .map(([name, value]) => `${name}: ${kind(value, !required.includes(name))}`)
      .join(', ')} }`;
  const lines = listEvents(document).map(({ type, data }) => `  '${type}': ${shape(resolve(data))},\n`);
  return `// biome-ignore-all format: generated\n${notice}import type { Shape } from './schemas.ts';

/** The kind of each field of the data of each type of event. */
export const eventShapes: Readonly<Record<string, Shape>> = {
${lines.join('')}};
`;
}

function listEvents(document: ApiDocument) {
  return Object.entries(document.webhooks).map(([type, { post }]) => {
    const body = Object.values(post.requestBody?.content ?? {})[0]?.schema as Schema;
    const name = body.$ref?.split('/').at(-1) as string;
    return { type, data: document.components.schemas[name]?.properties?.data as Schema };
  });
}

/** Each generated file, relative to the repository, and what writes it. */
export const generated: Readonly<Record<string, (document: ApiDocument) => string>> = {
  'packages/node-sdk/src/types/api.ts': writeApiTypes,
  'packages/node-sdk/src/resources/methods.ts': (document) => notice + writeMethods(document),
  'server/dashboard/src/api-types.ts': writeDashboardTypes,
  'packages/webhook-verify/src/event-data.ts': writeEventTypes,
  'packages/webhook-verify/src/event-shapes.ts': writeEventShapes,
};

export function readDocument(): ApiDocument {
  return JSON.parse(readFileSync(documentUrl, 'utf8')) as ApiDocument;
}

if (import.meta.main)
  for (const [path, write] of Object.entries(generated))
    writeFileSync(new URL(`../../${path}`, import.meta.url), write(readDocument()));
