import { type ProblemCode, problemKinds } from '../../server/http/problem.ts';
import type { InnerLink } from '../site/page.ts';
import type { ApiDocument, OperationObject, Schema } from './document.ts';

/** An operation with where it is called. */
export interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  /** Where it is on the site. */
  readonly place: InnerLink;
}

/** A group of operations: a page of the reference. */
export interface Tag {
  readonly name: string;
  readonly address: string;
  readonly operations: readonly Operation[];
}

/** The document of the API, and where each part of it is shown. */
export interface Reference {
  readonly document: ApiDocument;
  readonly tags: readonly Tag[];
  readonly operations: readonly Operation[];
  /** The schemas that have a name that means something. */
  readonly schemaNames: readonly string[];
  /** Where an `operation`, `schema`, `error` or `tag` is shown; null for what there is not. */
  locate(kind: string, name: string): InnerLink | null;
  /** Follows references. */
  resolve(schema: Schema): Schema;
}

export const schemasAddress = 'reference/schemas/';
export const errorsAddress = 'reference/errors/';

/** Orders the document of the API by pages. */
export function createReference(document: ApiDocument): Reference {
  const { components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const tag = operation.tags[0] ?? '';
      const place = { address: addressOfTag(tag), anchor: operation.operationId };
      const parameters = operation.parameters.map((parameter) => follow(parameter, components.parameters));
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, one]) => [status, follow(one, components.responses)]),
      );
      return { ...operation, parameters, responses, method: method.toUpperCase(), path, tag, place };
    }),
  );
  const tags = document.tags.map(({ name }) => ({
    name,
    address: addressOfTag(name),
    operations: operations.filter(({ tag }) => tag === name),
  }));
  const schemaNames = Object.keys(components.schemas).sort((one, other) => one.localeCompare(other, 'en'));
  const locate: Reference['locate'] = (kind, name) => {
    if (kind === 'operation') return operations.find(({ operationId }) => operationId === name)?.place ?? null;
    if (kind === 'tag') {
      const tag = tags.find((one) => one.name === name);
      return tag === undefined ? null : { address: tag.address, anchor: '' };
    }
    if (kind === 'error') return isProblemCode(name) ? { address: errorsAddress, anchor: name } : null;
    return schemaNames.includes(name) ? { address: schemasAddress, anchor: name } : null;
  };
  const resolve: Reference['resolve'] = (schema) => {
    const name = nameOf(schema);
    return name === null ? schema : resolve(components.schemas[name] ?? {});
  };
  return { document, tags, operations, schemaNames, locate, resolve };
}

/** The component that a reference names. */
function follow<Value extends object>(
  written: Value | { readonly $ref: string },
  components: Readonly<Record<string, Value>>,
): Value {
  return '$ref' in written ? (components[written.$ref.split('/').at(-1) ?? ''] as Value) : written;
}

/** The name of the schema that a reference means. */
export function nameOf({ $ref }: Schema): string | null {
  return $ref?.replace('#/components/schemas/', '') ?? null;
}

/** True if a word is an error code of the API. */
export function isProblemCode(word: string): word is ProblemCode {
  return Object.hasOwn(problemKinds, word);
}

/** The error codes that a response of an operation can have. */
export function readCodes(description: string): readonly ProblemCode[] {
  return [...description.matchAll(/^`(\w+)`:/gm)].map(([, code = '']) => code).filter(isProblemCode);
}

function addressOfTag(name: string): string {
  return `reference/${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')}/`;
}
