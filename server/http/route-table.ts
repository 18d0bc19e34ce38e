import Router from '@koa/router';
import { findUnstorable } from './body.ts';
import { invalidValues, notFound, Problem } from './problem.ts';
import type { Route } from './route.ts';

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

  /** Whether any route could be meant: paths of no feature are somebody else's. */
  covers(path: string): boolean {
    return this.#routers.has(firstSegments(path));
  }

  /**
   * Finds the route of a request; HEAD finds the GET route.
   * @throws {Problem} `not_found`, or `method_not_allowed` with the Allow header when the path has other methods.
   */
  find(method: string, path: string): RouteMatch {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = this.#routers.get(firstSegments(path))?.match(path, wanted);
    const layer = found?.pathAndMethod[0];
    const route = this.#routes.get(layer);
    if (layer === undefined || route === undefined) throw this.#refuse(path);
    const params = layer.params(path, layer.captures(path));
    for (const [name, value] of Object.entries(params)) {
      const issue = findUnstorable(value);
      if (issue !== null) throw invalidValues([{ path: `path.${name}`, issue }]);
    }
    return { route, params };
  }

  /** The routes that a path has, whatever the method. */
  at(path: string): readonly Route[] {
    const layers = this.#routers.get(firstSegments(path))?.match(path, 'GET').path ?? [];
    return layers.map((layer) => this.#routes.get(layer) as Route);
  }

  #refuse(path: string): Problem {
    const methods = [
      ...new Set(this.at(path).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ];
    if (methods.length === 0) return notFound('path');
    const allow = methods.sort().join(', ');
    return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
  }
}

/** Sorts a written segment before a parameter: /v1/consent/subjects/versions is a subject, no versions of a notice. */
function literalFirst(route: Route): string {
  return route.path.replaceAll('{', '\uffff');
}

/** `/v1/consent/0190…/records` → `/v1/consent`. */
function firstSegments(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end === -1 ? path : path.slice(0, end);
}
