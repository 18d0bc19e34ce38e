import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { check } from 'recheck';
import { parseSync } from 'vite';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');

interface Pattern {
  readonly source: string;
  readonly flags: string;
}

interface FoundPattern extends Pattern {
  /** The file that has it. */
  readonly file: string;
}

/** Patterns made from values: a sample of what comes out, or why what comes out is not judged. */
const built: Readonly<Record<string, RegExp | string>> = {
  'server/controls/control.ts': /^(?:AM|BC|CR)-\d{2,3}$/i,
  'server/storage/schema.ts': 'It reads the text of the schema, which is part of the program.',
};

/** The patterns of zod that request schemas use. */
const zodPatterns: readonly RegExp[] = [z.core.regexes.uuid(), z.core.regexes.datetime({ offset: true })];

/**
 * Smaller limits than recheck's own, which spend seconds on a pattern: all kinds of blow-up below are still found. Steps are
 * limited in place of time, so that the verdict does not depend on the load of the machine.
 */
const effort = {
  maxNFASize: 5000,
  maxIteration: 5,
  timeout: 60_000,
  attackLimit: 5_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
};

interface Judgement extends FoundPattern {
  readonly verdict: string;
}

async function judge(pattern: FoundPattern): Promise<Judgement> {
  const found = await check(pattern.source, pattern.flags, effort);
  if (found.status === 'safe') return { ...pattern, verdict: 'safe' };
  const verdict =
    found.status === 'vulnerable'
      ? `${found.complexity.summary}: ${found.attack.pattern}`
      : `not judged: ${found.error.kind}`;
  return { ...pattern, verdict };
}

describe('regular expressions', () => {
  let found: readonly FoundPattern[];
  let unread: readonly string[];
  before(() => {
    const files = globSync(['server/**/*.{ts,js}', 'packages/*/src/**/*.{ts,js}', 'packages/*/*.{ts,js}'], {
      cwd: root,
      exclude: (path) => /(?:^|\/)(?:node_modules|dist|test|releases)$/.test(path),
    });
    const read = files.map((file) => readPatterns(file));
    found = read.flatMap(({ patterns }) => patterns);
    unread = read.flatMap(({ file, dynamic }) => Array.from({ length: dynamic }, () => file));
  });

  test('never backtrack more than in proportion to the text', async () => {
    assert.ok(found.length > 250, 'the sources were not read');
    const others = [...zodPatterns, ...Object.values(built)].filter((one) => typeof one !== 'string');
    const all = [...found, ...others.map(({ source, flags }) => ({ source, flags, file: 'sample' }))];
    const distinct = new Map(all.map((one) => [`/${one.source}/${one.flags}`, one]));
    const judgements: Judgement[] = [];
    for (const pattern of distinct.values()) judgements.push(await judge(pattern));
    const unsafe = judgements.filter(({ verdict }) => verdict !== 'safe');
    assert.deepEqual(
      unsafe.map(({ file, source, verdict }) => `${file}: /${source}/ ${verdict}`),
      [],
    );
  });

  test('are made from values only where a sample or the reason is given', () => {
    assert.deepEqual([...new Set(unread)].sort(), Object.keys(built).sort());
  });

  for (const pattern of [
    /\/+$/,
    /^(\s*[^\s:;]+\s*:\s*[^:;]+(;\s*|$))+$/,
    /^([\w-]+):[ \t]*(.*?)[ \t]*$/,
    /(?<!x)\/+$/,
    /^(?=.*x)(a+)+$/,
    /^(?=.{1,253}$)(?:[a-z0-9-]+\.?)*$/,
    /(\w+)\s*=\s*(["'])(.*?)\2\s*$/,
  ]) {
    test(`that backtrack are found: ${pattern}`, async () => {
      const { verdict } = await judge({ source: pattern.source, flags: pattern.flags, file: 'sample' });
      assert.match(verdict, /polynomial|exponential/);
    });
  }
});

interface Node {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of node has members of its own.
  readonly [member: string]: any;
}

interface ReadFile {
  readonly file: string;
  readonly patterns: readonly FoundPattern[];
  /** How many expressions are made from values that are not known before the program runs. */
  readonly dynamic: number;
}

/** Reads the literals of a file, and the constant texts that it gives to `RegExp`. */
function readPatterns(file: string): ReadFile {
  const program = parse(file);
  const patterns: FoundPattern[] = [];
  let dynamic = 0;
  visit(program, (node) => {
    if (node.type === 'Literal' && node.regex)
      patterns.push({ source: node.regex.pattern, flags: node.regex.flags, file });
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp') {
      const [source, flags = ''] = node.arguments.map((one: Node) => readText(one, file, program));
      if (typeof source === 'string' && typeof flags === 'string') patterns.push({ source, flags, file });
      else dynamic += 1;
    }
  });
  return { file, patterns, dynamic };
}

function parse(file: string): Node {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  assert.deepEqual(errors, [], file);
  return program as unknown as Node;
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, look);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value) look(value as Node);
    for (const member of Object.values(value)) visit(member, look);
  }
}

/** The text of an expression; undefined when it is not known before the program runs. */
function readText(node: Node, file: string, program: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'Identifier') return readConstant(node.name, file, program);
  if (node.type !== 'TemplateLiteral') return undefined;
  const values = node.expressions.map((one: Node) => readText(one, file, program));
  if (values.includes(undefined)) return undefined;
  return node.quasis.map(({ value }: Node, index: number) => value.cooked + (values[index] ?? '')).join('');
}

/** The text of a constant of a file, which may come from a file beside it. */
function readConstant(name: string, file: string, program: Node): string | undefined {
  for (const statement of program.body as readonly Node[]) {
    const { declarations } = statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? {}) : statement;
    const declared = declarations?.find((one: Node) => one.id.name === name);
    if (declared?.init) return readText(declared.init, file, program);
    const isImported = statement.specifiers?.some((one: Node) => one.local.name === name);
    if (statement.type === 'ImportDeclaration' && isImported && statement.source.value.startsWith('.')) {
      const origin = join(dirname(file), statement.source.value);
      return readConstant(name, origin, parse(origin));
    }
  }
  return undefined;
}
