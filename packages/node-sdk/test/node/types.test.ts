import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ConsentNotices } from '../../src/resources/consent-notices.ts';
import type { ConsentRecords } from '../../src/resources/consent-records.ts';
import type { Ledgers } from '../../src/resources/ledgers.ts';
import type { Json } from '../../src/types/json.ts';
import type { leftOutOperations } from '../operations/left-out-operations.ts';
import type { OperationTypes } from '../operations/operation-types.ts';
import type { SdkTypes } from '../operations/sdk-types.ts';
import { type ApiDocument, writeTypes } from '../operations/write-types.ts';

/** Whether two types are the same, down to `readonly`, `?` and `undefined`. */
type Equal<One, Other> =
  (<Value>() => Value extends One ? 1 : 2) extends <Value>() => Value extends Other ? 1 : 2 ? true : false;

/** What is sent where a Date may be handed in. */
type Written<Value> = [Json] extends [Value] ? Value : WrittenPart<Value>;
type WrittenPart<Value> = Value extends Date
  ? never
  : Value extends object
    ? { [Name in keyof Value]: Written<Value[Name]> }
    : Value;

/** The names of the parts in which the package and the server differ. */
type Difference<Sdk, Server> = {
  [Part in keyof Sdk & keyof Server & string]: Equal<Written<Sdk[Part]>, Written<Server[Part]>> extends true
    ? never
    : Part;
}[keyof Sdk & keyof Server & string];

/** What the server's schemas take and answer, where the package means the same and says it otherwise. */
interface Restated {
  // The document is of HTTP, which sends `true` and `false` as text.
  listDsrs: Omit<OperationTypes['listDsrs'], 'query'> & {
    query: {
      [Name in keyof OperationTypes['listDsrs']['query']]: Name extends 'overdue'
        ? boolean | undefined
        : OperationTypes['listDsrs']['query'][Name];
    };
  };
  // One of the two, which only the description says.
  proveAuditInclusion: Omit<OperationTypes['proveAuditInclusion'], 'query'> & {
    query:
      | { readonly sequence: number; readonly size?: number | undefined }
      | { readonly id: string; readonly size?: number | undefined };
  };
  // The other answer, for an id that is no notice, is the error not_found.
  getConsent: {
    query: never;
    body: never;
    answer: Exclude<OperationTypes['getConsent']['answer'], { state: unknown }>;
  };
  // The only parameter is one that is always refused.
  getScimServiceProviderConfig: WithoutQuery<'getScimServiceProviderConfig'>;
  listScimSchemas: WithoutQuery<'listScimSchemas'>;
  getScimSchema: WithoutQuery<'getScimSchema'>;
  listScimResourceTypes: WithoutQuery<'listScimResourceTypes'>;
  getScimResourceType: WithoutQuery<'getScimResourceType'>;
  // Nothing comes back that could be chosen from.
  deleteScimUser: WithoutQuery<'deleteScimUser'>;
  deleteScimGroup: WithoutQuery<'deleteScimGroup'>;
  // The methods name the schema of the body themselves.
  createScimUser: WithoutSchemas<'createScimUser'>;
  patchScimUser: WithoutSchemas<'patchScimUser'>;
  replaceScimUser: WithoutSchemas<'replaceScimUser'>;
  createScimGroup: WithoutSchemas<'createScimGroup'>;
  patchScimGroup: WithoutSchemas<'patchScimGroup'>;
  replaceScimGroup: WithoutSchemas<'replaceScimGroup'>;
}
type WithoutQuery<Name extends keyof OperationTypes> = Omit<OperationTypes[Name], 'query'> & { query: never };
type WithoutSchemas<Name extends keyof OperationTypes> = Omit<OperationTypes[Name], 'body'> & {
  body: {
    [Field in keyof OperationTypes[Name]['body'] as Exclude<Field, 'schemas'>]: OperationTypes[Name]['body'][Field];
  };
};
type ServerTypes = {
  [Name in keyof OperationTypes]: Name extends keyof Restated ? Restated[Name] : OperationTypes[Name];
};

type Differences = {
  [Name in keyof SdkTypes & keyof ServerTypes]: `${Name}: ${Difference<SdkTypes[Name], ServerTypes[Name]>}`;
};
type Forgotten = Exclude<keyof OperationTypes, keyof SdkTypes | keyof typeof leftOutOperations>;
type Invented = Exclude<keyof SdkTypes | keyof typeof leftOutOperations, keyof OperationTypes>;
type Twice = keyof SdkTypes & keyof typeof leftOutOperations;

/** Compiles for a type without members; of any other the compiler names them. */
function expectNone<_Members extends never>(): void {}

test('takes and answers what the schemas of the server say, in every operation', () => {
  expectNone<Differences[keyof Differences]>();
});

test('has a method for every operation, but for those that are left out with a reason', () => {
  expectNone<Forgotten>();
  expectNone<Invented>();
  expectNone<Twice>();
});

test('is compared with the types of the present OpenAPI document', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
  const document = JSON.parse(read('../../../../server/openapi.json')) as ApiDocument;
  assert.equal(
    read('../operations/operation-types.ts'),
    writeTypes(document),
    'Run: node packages/node-sdk/test/operations/write-operation-types.ts',
  );
});

test('refuses what no operation takes', () => {
  const refused = (notices: ConsentNotices, records: ConsentRecords, ledgers: Ledgers) => [
    // @ts-expect-error: no such filter
    notices.list({ state: 'draft' }),
    // @ts-expect-error: no such status
    notices.list({ status: 'deleted' }),
    // @ts-expect-error: no such field
    notices.update('id', { title: 'Website' }),
    // @ts-expect-error: purposes are missing
    records.capture('id', { subjectId: 'somebody' }),
    // @ts-expect-error: granted is true or false
    records.capture('id', { subjectId: 'somebody', purposes: { analytics: 'yes' } }),
    // @ts-expect-error: no such option
    records.list('id', {}, { retry: 3 }),
    // @ts-expect-error: records of the consent ledger are named by their number
    ledgers.consent.proveInclusion({ id: 'id' }),
    // @ts-expect-error: answers do not change
    notices.retrieve('id').then((notice) => (notice.name = 'Another')),
  ];
  assert.equal(typeof refused, 'function');
});
