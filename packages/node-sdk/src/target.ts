import { ConfigurationError } from './errors.ts';
import type { Operation } from './transport.ts';

/** A path in pieces: text, name of a parameter, text, and so on. */
type Pieces = readonly string[];

const mostTemplates = 500;
const templates = new Map<string, Pieces>();

/**
 * The path of an operation with its parameters and query.
 * @throws {ConfigurationError} for a parameter that is missing, empty or would lead to another path.
 */
export function buildTarget({ path, parameters, query }: Operation): string {
  const pieces = templates.get(path) ?? readTemplate(path);
  let target = pieces[0] as string;
  for (let index = 1; index < pieces.length; index += 2) {
    const name = pieces[index] as string;
    target += encodeParameter(name, parameters?.[name]) + (pieces[index + 1] as string);
  }
  if (query === undefined) return target;
  // Where a program without types hands in null, or the id that comes before.
  if (typeof query !== 'object' || query === null) throw new ConfigurationError('The query must be an object.');
  return target + encodeQuery(query);
}

function readTemplate(path: string): Pieces {
  const pieces = path.split(/\{([A-Za-z]+)\}/);
  const texts = pieces.filter((_, index) => index % 2 === 0).join('x');
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path) || /[?#{}\\]/.test(texts) || hasDotSegment(texts))
    throw new ConfigurationError(`The path ${JSON.stringify(path)} must start with / and have no query.`);
  // A program that writes ids into the path would fill the memory.
  if (templates.size >= mostTemplates) templates.clear();
  templates.set(path, pieces);
  return pieces;
}

function encodeParameter(name: string, value: string | number | undefined): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '')
    throw new ConfigurationError(`The path parameter ${name} must not be empty.`);
  // Encoding keeps dots, and a proxy may decode more than once.
  if (hasDotSegment(text)) throw new ConfigurationError(`The path parameter ${name} must not contain a dot segment.`);
  return encodeText(`path parameter ${name}`, text);
}

function hasDotSegment(text: string): boolean {
  if (!text.includes('.') && !/%(?:25)*2e/i.test(text)) return false;
  return text.split(/[/\\]|%(?:25)*(?:2f|5c)/i).some((segment) => /^(?:\.|%(?:25)*2e){1,2}$/i.test(segment));
}

/**
 * A query string, with its question mark where there is anything in it.
 * @throws {ConfigurationError} for anything but text, numbers, booleans and Dates.
 */
function encodeQuery(query: object): string {
  let text = '';
  for (const [name, given] of Object.entries(query)) {
    if (given === undefined) continue;
    const value: unknown = given instanceof Date ? writeTime(name, given) : given;
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isFinite(value))
      throw new ConfigurationError(`The query parameter ${name} must be a string, a number, a boolean or a Date.`);
    text += `${text === '' ? '?' : '&'}${encodeText('query', name)}=${encodeText(`query parameter ${name}`, String(value))}`;
  }
  return text;
}

/** @throws {ConfigurationError} for an invalid Date, which JSON would write as null. */
export function writeTime(name: string, time: Date): string {
  if (Number.isNaN(time.getTime())) throw new ConfigurationError(`${name} is an invalid Date.`);
  return time.toISOString();
}

function encodeText(what: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new ConfigurationError(`The ${what} must be well-formed Unicode.`, undefined, cause);
  }
}
