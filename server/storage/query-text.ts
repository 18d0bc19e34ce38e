import type { RawBuilder } from 'kysely';
import type { Queries } from './database.ts';

/** Built statements, by the adapter of their database. */
const texts = new WeakMap<object, Map<string, string>>();

/** The SQL text of a query that is built only once per key: building costs more than running. */
export function rememberText(queries: Queries, key: string, build: () => RawBuilder<unknown>): string {
  const { adapter } = queries.getExecutor();
  let known = texts.get(adapter);
  if (known === undefined) {
    known = new Map();
    texts.set(adapter, known);
  }
  let text = known.get(key);
  if (text === undefined) {
    text = build().compile(queries).sql;
    known.set(key, text);
  }
  return text;
}
