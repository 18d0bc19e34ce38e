import type { Compilable, CompiledQuery, RawBuilder } from 'kysely';
import type { Queries } from './database.ts';

/** A placeholder for a value that is bound when the query runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A query that is built once per database and run with different values: building costs more than running. */
export type PreparedQuery<Given extends object, Row> = (queries: Queries, values: Given) => Promise<readonly Row[]>;

/**
 * Prepares a query.
 * @param build builds the query; `parameter('name')` is a placeholder of the type that the context requires.
 */
export function prepareQuery<Given extends object, Row>(
  build: (
    queries: Queries,
    parameter: <Name extends keyof Given & string>(name: Name) => Given[Name],
  ) => Compilable<Row>,
): PreparedQuery<Given, Row> {
  // The adapter is one object per database, inside and outside transactions.
  const built = new WeakMap<object, CompiledQuery<Row>>();
  const parameter = <Name extends keyof Given & string>(name: Name) => new Parameter(name) as unknown as Given[Name];
  return async (queries, values) => {
    const { adapter } = queries.getExecutor();
    let query = built.get(adapter);
    if (query === undefined) {
      query = build(queries, parameter).compile();
      built.set(adapter, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Given] : value,
    );
    const { rows } = await queries.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

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
