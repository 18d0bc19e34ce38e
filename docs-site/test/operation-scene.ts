import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../server/http/route.ts';
import type { RequestOptions, TestServer } from '../../server/test/harness.ts';
import { acceptedCall } from '../../server/test/http/route-samples.ts';
import { createScene } from '../../server/test/http/scene.ts';
import type { Operation } from '../reference/reference.ts';
import { readRequestExample } from '../reference/request-examples.ts';
import { isVariable, readPathExamples } from '../reference/variables.ts';
import { furnishScene } from './furnish-scene.ts';

/** The values of the variables of an operation's example, in a tenant of its own where the operation succeeds. */
export interface OperationScene {
  /** By their names in the shell, without the dollar. */
  readonly variables: Readonly<Record<string, string>>;
  readonly tenantId: string;
  readonly key: string;
  readonly scimToken: string | null;
}

/** Makes everything that the example of an operation names. Its values are those of the sample requests of the server's tests. */
export async function createOperationScene(
  route: Route,
  operation: Operation,
  server: TestServer,
  folder: string,
): Promise<OperationScene> {
  const scene = await createScene(server);
  const { path, request, credentials } = await acceptedCall(route, scene);
  await furnishScene(scene, operation.operationId);
  const variables = new Map<string, string>();
  const [target = ''] = path.split('?');
  const given = readParameters(operation.path, target);
  for (const [name, example] of Object.entries(readPathExamples(operation.path)))
    if (isVariable(example)) variables.set(example.slice(1), given[name] ?? '');
  collectVariables(readRequestExample(operation).body, readSample(request), variables);
  writeCookies(credentials, server, folder);
  const isScim = route.auth === 'scim';
  return {
    variables: Object.fromEntries(variables),
    tenantId: scene.tenant.id,
    key: scene.tenant.key,
    scimToken: isScim ? String(credentials.key) : null,
  };
}

function readParameters(template: string, path: string): Readonly<Record<string, string>> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(path)?.slice(1) ?? [];
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function readSample({ body, rawBody }: RequestOptions): unknown {
  return rawBody === undefined ? body : Object.fromEntries(new URLSearchParams(String(rawBody)));
}

/** Where the example has a variable, the sample has its value. */
function collectVariables(example: unknown, sample: unknown, variables: Map<string, string>): void {
  if (isVariable(example)) variables.set(example.slice(1), String(sample));
  else if (typeof example === 'object' && example !== null)
    for (const [name, value] of Object.entries(example))
      collectVariables(value, (sample as Readonly<Record<string, unknown>> | undefined)?.[name], variables);
}

/** The cookies of a person who has signed in, as curl keeps them (Netscape's format). */
function writeCookies({ headers }: RequestOptions, { url }: TestServer, folder: string): void {
  const [name = '', value = ''] = (headers?.Cookie ?? '').split('=');
  const line = [new URL(url).hostname, 'FALSE', '/', 'FALSE', '0', name, value].join('\t');
  writeFileSync(join(folder, 'cookies.txt'), name === '' ? '' : `# Netscape HTTP Cookie File\n${line}\n`);
}
