import Router from '@koa/router';
import { findUnstorable } from './body.ts';
import { notFound, Problem } from './problem.ts';
import type { Route } from './route.ts';

/** The longest name of anything that a path can name is that of a data subject, with 256 characters. */
const longestParameter = 512;

/** A path of the API with the routes that it has, by method. */
interface RoutePath {
  readonly routes: readonly Route[];
  /** Whether pages of every site may read its answers, errors included. */
  readonly isOpen: boolean;
}

/** A path that a request names, with the text of its parameters; without routes where there is no such path. */
export interface PathMatch extends RoutePath {
  readonly params: readonly (readonly [name: string, text: string])[];
}

/** A route with the path parameters of one request. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds routes by method and path. Patterns are @koa/router's; the table is split by the first two segments of the
 * path, so that a request is only compared with the paths of its own feature.
 */
export class RouteTable {
  readonly #areas = new Map<string, { readonly router: Router; readonly isOpen: boolean }>();
  readonly #paths = new Map<unknown, RoutePath>();

  constructor(routes: readonly Route[]) {
    for (const [name, ofArea] of Map.groupBy(routes, ({ path }) => firstSegments(path))) {
      const router = new Router({ strict: true, sensitive: true });
      this.#areas.set(name, { router, isOpen: ofArea.every(isPublic) });
      const paths = [...Map.groupBy(ofArea, ({ path }) => path)];
      // `{` sorts behind every letter, so a literal segment wins: /v1/consent/subjects/versions names a subject.
      for (const [path, ofPath] of paths.sort(([one], [other]) => (one < other ? -1 : 1))) {
        const layer = router.register(path.replace(/\{(\w+)\}/g, ':$1'), ['GET'], () => undefined);
        this.#paths.set(layer, { routes: ofPath, isOpen: ofPath.some(isPublic) });
      }
    }
  }

  /** Whether the path is below that of a feature; other paths are left to other middleware. */
  covers(path: string): boolean {
    return this.#areas.has(firstSegments(path));
  }

  /** The path of a request that the table covers; a literal segment wins over a parameter, whatever its methods. */
  match(path: string): PathMatch {
    const area = this.#areas.get(firstSegments(path));
    const [layer] = area?.router.match(path, 'GET').path ?? [];
    if (layer === undefined) return { routes: [], params: [], isOpen: area?.isOpen ?? false };
    const values = layer.captures(path);
    const params = layer.paramNames.map(({ name }, index) => [String(name), values[index] as string] as const);
    return { ...(this.#paths.get(layer) as RoutePath), params };
  }
}

/**
 * The route of a path for a method; HEAD finds the GET route.
 * @throws {Problem} `not_found`, or `method_not_allowed` with the Allow header when the path has other methods.
 */
export function pickRoute(match: PathMatch, method: string): RouteMatch {
  if (match.routes.length === 0) throw notFound('path');
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = match.routes.find((one) => one.method === wanted);
  if (route === undefined) throw refuseMethod(match.routes);
  return { route, params: Object.fromEntries(match.params.map(([name, text]) => [name, decodeSegment(text)])) };
}

function isPublic({ auth }: Route): boolean {
  return auth === 'public';
}

/** @throws {Problem} `not_found` for text that cannot be a name: too long, invalid percent-encoding, NUL. */
function decodeSegment(text: string): string {
  try {
    const value = decodeURIComponent(text);
    if (value.length <= longestParameter && findUnstorable(value) === null) return value;
  } catch {
    // No percent-encoding of UTF-8.
  }
  throw notFound('path');
}

function refuseMethod(routes: readonly Route[]): Problem {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = methods.sort().join(', ');
  return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

/** `/v1/consent/0190…/records` → `/v1/consent`. */
function firstSegments(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end === -1 ? path : path.slice(0, end);
}
