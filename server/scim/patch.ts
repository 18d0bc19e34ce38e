import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { longestPath, quote, readAttributes, readByHand, readMessage } from './message.ts';

/** Providers send a hundred at most; the members of a group come many in one. */
const mostOperations = 1000;

export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** One operation of a PATCH as it was written; what it may be is for the resource to say. */
export interface PatchOperation {
  /** In small letters; empty where there is none. */
  readonly op: string;
  /** Null for an operation on the resource itself. */
  readonly path: string | null;
  /** Undefined where there is none. */
  readonly value: unknown;
}

/** The body of a PATCH, for the documentation. */
export const PatchBody = readByHand(
  z
    .object({
      schemas: z.array(z.string()).meta({ description: `Contains ${patchUrn}.` }),
      Operations: z
        .array(
          z
            .object({
              op: z.enum(['add', 'remove', 'replace']),
              path: z.string().optional(),
              value: z.unknown().optional().meta({ description: 'Any JSON value; `remove` may go without one.' }),
            })
            .meta({ id: 'ScimPatchOperation' }),
        )
        .min(1)
        .max(mostOperations),
    })
    .meta({ id: 'ScimPatch' }),
);

/**
 * Reads the message of a PATCH (RFC 7644 section 3.5.2).
 * @throws {Problem} `invalidSyntax`, or `invalidValue` for other schemas, or `invalidPath`.
 */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const operations = readMessage(body, patchUrn).get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new Problem('invalidSyntax', 'Operations must be an array of one operation or more.');
  if (operations.length > mostOperations)
    throw new Problem('invalidSyntax', `Operations may have at most ${mostOperations} operations.`);
  return operations.map((operation, index) => readOperation(operation, `Operations[${index}]`));
}

function readOperation(value: unknown, where: string): PatchOperation {
  const operation = readAttributes(value, where, patchUrn, 'invalidSyntax');
  const op = operation.get('op');
  const path = operation.get('path') ?? null;
  if (path !== null && typeof path !== 'string') throw new Problem('invalidPath', `${where}.path must be a text.`);
  if (path !== null && path.length > longestPath)
    throw new Problem('invalidPath', `${where}.path is too long: ${quote(path)}.`);
  return { op: typeof op === 'string' ? op.slice(0, 20).toLowerCase() : '', path, value: operation.get('value') };
}
