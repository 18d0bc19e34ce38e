import { requestRules } from './request-rules.ts';

const known: readonly (readonly [id: string, method: string, path: string, ...unknown[]])[] = [
  ...requestRules.operations,
  ...requestRules.others,
];
const byName = new Map(known.flatMap(([id, method, path]) => [[id, id] as const, [unname(`${method} ${path}`), id]]));

/**
 * The operation that a test names: its id, or its method and path where the table does not have them.
 * @throws {TypeError} for what is neither, such as an id with a typing error.
 */
export function resolveOperation(name: string): string {
  const id = byName.get(unname(name));
  if (id !== undefined) return id;
  if (/^(GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(name)) return name;
  const likely = known.map(([one]) => one).find((one) => one.toLowerCase() === String(name).toLowerCase());
  const hint = likely === undefined ? '' : `: did you mean ${likely}?`;
  throw new TypeError(`There is no operation ${JSON.stringify(name)}${hint}`);
}

/** Whether an operation is one that the table has. */
export function isKnown(operation: string): boolean {
  return byName.get(operation) === operation;
}

/** What a parameter is called in a path makes no difference. */
function unname(name: string): string {
  return typeof name === 'string' ? name.replace(/\{\w*\}/g, '{}') : '';
}
