import { readFileSync } from 'node:fs';
import { type ApiDocument, listOperations, TypeWriter } from '../../../../tools/types/type-writer.ts';
import type { Svc } from '../../src/client.ts';
import type { RequestOptions } from '../../src/transport.ts';
import type { OperationResults } from '../../src/types/api.ts';

/** Arguments of a call, from the sample of its route. */
export interface Sample {
  readonly path: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: samples have every shape
  readonly query: any;
  // biome-ignore lint/suspicious/noExplicitAny: samples have every shape
  readonly body: any;
  /** The page that a visitor decides on. */
  readonly origin: string;
  readonly options: RequestOptions;
}

type SdkCall<Result> = (svc: Svc, sample: Sample & { readonly id: string }) => PromiseLike<Result>;

/** The calls of methods that do not take the path, the body or else the query, and the options of their operation. */
const ownCalls: { readonly [Id in keyof OperationResults]?: SdkCall<OperationResults[Id]> } = {
  getConsent: (svc, { options, id }) => svc.consent.notices.retrieve(id, options),
  publishConsentNotice: (svc, { options, id, body }) => svc.consent.notices.publish(id, { ...body, ...options }),
  capturePublicConsentRecord: (svc, { options, path, body, origin }) =>
    svc.public.consent.capture(read(path, 'noticeId'), body, { origin, ...options }),
  uploadEvidenceFile: (svc, { options, path, query, body }) =>
    svc.controls.evidence.upload(read(path, 'controlId'), body, query, options),
  downloadEvidenceFile: (svc, { options, path }) =>
    svc.controls.evidence.download(read(path, 'controlId'), read(path, 'evidenceId'), options),
  createScimUser: (svc, { options, query, body: { schemas: _, ...user } }) =>
    svc.scim.users.create(user, query, options),
  patchScimUser: (svc, { options, query, id, body }) => svc.scim.users.patch(id, body.Operations, query, options),
  replaceScimUser: (svc, { options, query, id, body: { schemas: _, ...user } }) =>
    svc.scim.users.replace(id, user, query, options),
  deleteScimUser: (svc, { options, id }) => svc.scim.users.delete(id, options),
  createScimGroup: (svc, { options, query, body: { schemas: _, ...group } }) =>
    svc.scim.groups.create(group, query, options),
  replaceScimGroup: (svc, { options, query, path, body: { schemas: _, ...group } }) =>
    svc.scim.groups.replace(read(path, 'role'), group, query, options),
  patchScimGroup: (svc, { options, query, path, body }) =>
    svc.scim.groups.patch(read(path, 'role'), body.Operations, query, options),
  deleteScimGroup: (svc, { options, path }) => svc.scim.groups.clear(read(path, 'role'), options),
};

const document: ApiDocument = JSON.parse(
  readFileSync(new URL('../../../../server/openapi.json', import.meta.url), 'utf8'),
);
const types = new TypeWriter(document, false);
const operations = new Map(
  listOperations(document)
    .filter(({ operation }) => operation['x-sdk-method'] !== undefined)
    .map((one) => [one.operation.operationId, one]),
);

/** The ids of the operations that have a method. */
export const calledOperations: readonly string[] = [...operations.keys()];

/** Calls the method of an operation with a sample. */
export function callOperation(svc: Svc, operationId: string, sample: Sample): PromiseLike<unknown> {
  const listed = operations.get(operationId);
  if (listed === undefined) throw new Error(`${operationId} has no method`);
  const call = ownCalls[operationId as keyof OperationResults];
  if (call !== undefined) return call(svc, { ...sample, id: sample.path.id ?? '' });
  const { operation, path } = listed;
  const values: unknown[] = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => read(sample.path, name as string));
  if (operation.requestBody !== undefined) values.push(sample.body);
  else if (types.listQuery(operation).length > 0) values.push(sample.query);
  const names = operation['x-sdk-method']?.split('.') ?? [];
  // biome-ignore lint/suspicious/noExplicitAny: resources of any name
  const resource = names.slice(0, -1).reduce<any>((parent, name) => parent[name], svc);
  return resource[names.at(-1) as string](...values, sample.options);
}

function read(path: Sample['path'], name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`the path has no {${name}}`);
  return value;
}
