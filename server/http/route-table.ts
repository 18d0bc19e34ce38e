import Router from '@koa/router';
import { findUnstorable } from './body.ts';
import { notFound, Problem } from './problem.ts';
import type { Route } from './route.ts';

/** The longest name of anything that a path can name is that of a data subject, with 256 characters. */
const longestParameter = 512;

/** A route with the path parameters of one request. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds routes by method and path. Patterns are @koa/router's; the table is split by the first two segments of the
 * path, so that a request is only compared with the routes of its own feature.
 */
export class RouteTable {
  readonly #routers = new Map<string, Router>();
  readonly #routes = new Map<unknown, Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes.toSorted((a, b) => (literalFirst(a) < literalFirst(b) ? -1 : 1))) {
      const name = firstSegments(route.path);
      const router = this.#routers.get(name) ?? new Router({ strict: true, sensitive: true });
      this.#routers.set(name, router);
      const layer = router.register(route.path.replace(/\{(\w+)\}/g, ':$1'), [route.method], () => undefined);
      this.#routes.set(layer, route);
    }
  }

  /** Whether the path is below that of a feature; other paths are left to other middleware. */
  covers(path: string): boolean {
    return this.#routers.has(firstSegments(path));
  }

  /**
   * Finds the route of a request; HEAD finds the GET route. A literal segment wins over a parameter, whatever its methods.
   * @throws {Problem} `not_found`, or `method_not_allowed` with the Allow header when the path has other methods.
   */
  find(method: string, path: string): RouteMatch {
    const layers = this.#match(path);
    if (layers.length === 0) throw notFound('path');
    const wanted = method === 'HEAD' ? 'GET' : method;
    const layer = layers.find((one) => this.#routeOf(one).method === wanted);
    if (layer === undefined) throw refuseMethod(layers.map((one) => this.#routeOf(one)));
    const values = layer.captures(path);
    const params = layer.paramNames.map(({ name }, index) => [name, decodeSegment(values[index] as string)]);
    return { route: this.#routeOf(layer), params: Object.fromEntries(params) };
  }

  /** The routes that a path has, whatever the method. */
  at(path: string): readonly Route[] {
    return this.#match(path).map((layer) => this.#routeOf(layer));
  }

  /** The layers of the first path that matches: those of a path with a parameter in place of a literal come later. */
  #match(path: string): readonly Layer[] {
    const layers = this.#routers.get(firstSegments(path))?.match(path, 'GET').path ?? [];
    return layers.filter((layer) => layer.path === layers[0]?.path);
  }

  #routeOf(layer: Layer): Route {
    return this.#routes.get(layer) as Route;
  }
}

type Layer = ReturnType<Router['match']>['path'][number];

/** @throws {Problem} `not_found` for text that nothing can be named by: too long, broken percent-encoding, NUL. */
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

/** Sorts a literal segment before a parameter: /v1/consent/subjects/versions is a subject, no versions of a notice. */
function literalFirst(route: Route): string {
  return route.path.replaceAll('{', '\uffff');
}

/** `/v1/consent/0190…/records` → `/v1/consent`. */
function firstSegments(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end === -1 ? path : path.slice(0, end);
}
