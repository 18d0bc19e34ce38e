import answers from './answers.json' with { type: 'json' };
import { writeJson } from './curl.ts';

const recorded: Readonly<Record<string, unknown>> = answers;
const mostItems = 2;
const mostWords = 6;
const mostLetters = 160;

/**
 * Writes what the server answered when the example of an operation was played to it; test/write-answers.ts records that.
 * @returns null for operations that answer without a body.
 * @throws for one that nobody recorded.
 */
export function writeAnswer(operationId: string, type: string): string | null {
  if (type === '') return null;
  if (!Object.hasOwn(recorded, operationId))
    throw new Error(`${operationId} has no answer: node -C @svc/source docs-site/test/write-answers.ts records it`);
  const answer = recorded[operationId];
  const text =
    type === 'application/jsonl' && Array.isArray(answer)
      ? answer.map((line) => JSON.stringify(line)).join('\n')
      : writeJson(answer);
  return text.replace(/"…(?:": "| )(\d+ more)"/g, '… $1');
}

/** The answers that are recorded, by operation. */
export const recordedAnswers: Readonly<Record<string, unknown>> = recorded;

/** Leaves out of an answer what only repeats, and says how much that is: `"… 88 more"` at the end of a list. */
export function cutAnswer(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value);
  if (Array.isArray(value)) return cutList(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, cutAnswer(one)] as const);
  if (!isMap(Object.values(value)) || entries.length <= mostItems + 1) return Object.fromEntries(entries);
  return Object.fromEntries([...entries.slice(0, mostItems), ['…', `${entries.length - mostItems} more`]]);
}

/** A text of several lines has a form, such as a signed note: it stays whole. */
function cutText(text: string): string {
  return text.length <= mostLetters || text.includes('\n') ? text : `${text.slice(0, mostLetters)}…`;
}

function cutList(list: readonly unknown[]): readonly unknown[] {
  const most = list.some((one) => typeof one === 'object') ? mostItems : mostWords;
  const cut = list.map(cutAnswer);
  // A line that says that one is left out is as long as the one.
  return list.length <= most + 1 ? cut : [...cut.slice(0, most), `… ${list.length - most} more`];
}

/** Whether an object has alike things by their names, not fields of its own. */
function isMap(values: readonly unknown[]): boolean {
  const shapes = new Set(
    values.map((one) => (typeof one === 'object' && one !== null ? Object.keys(one).join() : 'plain')),
  );
  return shapes.size === 1 && !shapes.has('plain');
}
