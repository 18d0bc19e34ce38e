import { findUnstorable } from './body.ts';
import { notFound, Problem } from './problem.ts';
import type { Method, Route } from './route.ts';

/** A route with the path parameters of one request. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** A segment of the paths that routes have. */
interface Segment {
  readonly literals: Map<string, Segment>;
  parameter: Segment | null;
  readonly routes: Map<Method, Route>;
}

interface PathMatch {
  readonly routes: ReadonlyMap<Method, Route>;
  /** The values of the parameters as they are written in the path, from left to right. */
  readonly values: readonly string[];
}

/** Finds routes by method and path. A literal segment wins over a parameter, whatever methods it has. */
export class RouteTable {
  readonly #root = createSegment();
  readonly #features = new Set<string>();
  readonly #names = new Map<Route, readonly string[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      this.#features.add(firstSegments(route.path));
      const names: string[] = [];
      let at = this.#root;
      for (const part of route.path.split('/').slice(1)) {
        if (part.startsWith('{')) {
          names.push(part.slice(1, -1));
          at.parameter ??= createSegment();
          at = at.parameter;
        } else {
          const next = at.literals.get(part) ?? createSegment();
          at.literals.set(part, next);
          at = next;
        }
      }
      at.routes.set(route.method, route);
      this.#names.set(route, names);
    }
  }

  /** Whether the path is below that of a feature; other paths are left to other middleware. */
  covers(path: string): boolean {
    return this.#features.has(firstSegments(path));
  }

  /**
   * Finds the route of a request; HEAD finds the GET route.
   * @throws {Problem} `not_found`, or `method_not_allowed` with the Allow header when the path has other methods.
   */
  find(method: string, path: string): RouteMatch {
    const match = this.#match(path);
    if (match === null) throw notFound('path');
    const route = match.routes.get((method === 'HEAD' ? 'GET' : method) as Method);
    if (route === undefined) throw refuseMethod(match.routes);
    const params: Record<string, string> = {};
    for (const [index, name] of (this.#names.get(route) as readonly string[]).entries())
      params[name] = decodeSegment(match.values[index] as string);
    return { route, params };
  }

  /** The routes that a path has, whatever the method. */
  at(path: string): readonly Route[] {
    return [...(this.#match(path)?.routes.values() ?? [])];
  }

  #match(path: string): PathMatch | null {
    const parts = path.split('/');
    const values: string[] = [];
    // As deep as the longest path of a route at most, for a segment that no route has ends the search.
    const walk = (at: Segment, depth: number): Segment | null => {
      if (depth === parts.length) return at.routes.size > 0 ? at : null;
      const part = parts[depth] as string;
      const literal = at.literals.get(part);
      const found = literal && walk(literal, depth + 1);
      if (found) return found;
      if (at.parameter === null || part === '') return null;
      values.push(part);
      const below = walk(at.parameter, depth + 1);
      if (below === null) values.pop();
      return below;
    };
    const found = parts[0] === '' ? walk(this.#root, 1) : null;
    return found && { routes: found.routes, values };
  }
}

function createSegment(): Segment {
  return { literals: new Map(), parameter: null, routes: new Map() };
}

/** @throws {Problem} `not_found` for text that nothing can be named by: broken percent-encoding, NUL. */
function decodeSegment(text: string): string {
  try {
    const value = decodeURIComponent(text);
    if (findUnstorable(value) === null) return value;
  } catch {
    // No percent-encoding of UTF-8.
  }
  throw notFound('path');
}

function refuseMethod(routes: ReadonlyMap<Method, Route>): Problem {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = methods.sort().join(', ');
  return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

/** `/v1/consent/0190…/records` → `/v1/consent`. */
function firstSegments(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end === -1 ? path : path.slice(0, end);
}
