import { writeJson } from '../../server/site/documentation/write-json.ts';
import { exampleColumns } from './curl.ts';
import type { Operation } from './reference.ts';

/**
 * Writes the answer to the example of an operation, which the document has from a real server.
 * @returns null for operations that answer without a body.
 * @throws for one that was not recorded.
 */
export function writeAnswer({ operationId, responses }: Operation): string | null {
  const success = Object.entries(responses).find(([status]) => status < '300')?.[1];
  const [content] = Object.values(success?.content ?? {});
  if (content === undefined) return null;
  if (content.example === undefined) throw new Error(`${operationId} has no answer: npm run examples records it`);
  return typeof content.example === 'string' ? content.example : writeJson(content.example, exampleColumns);
}
