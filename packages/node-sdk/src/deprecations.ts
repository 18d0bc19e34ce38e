import { warn } from '#platform';
import { readHeader } from './call.ts';
import type { Exchange } from './exchange.ts';
import { type Hooks, notify } from './hooks.ts';

/** Reports once for each operation that it is deprecated, or that the response has another version than requested. */
export class Deprecations {
  readonly #hooks: Hooks;
  readonly #reported = new Set<string>();

  constructor({ onDeprecation }: Hooks) {
    this.#hooks = {
      onDeprecation:
        onDeprecation ?? (({ message }) => warn(message, { type: 'DeprecationWarning', code: 'SVC_DEPRECATED' })),
    };
  }

  look(operation: string, { status, headers }: Exchange, requestedVersion: string | null): void {
    const version = readHeader(headers, 'svc-version');
    // An error may come from before the version was looked at.
    const isOther = status < 300 && requestedVersion !== null && version !== null && version !== requestedVersion;
    if (!isOther && headers.deprecation === undefined && headers.sunset === undefined) return;
    if (this.#reported.has(operation)) return;
    this.#reported.add(operation);
    const deprecation = readHeader(headers, 'deprecation');
    const sunset = readHeader(headers, 'sunset');
    const link = readHeader(headers, 'link');
    const words = [
      deprecation && 'is deprecated',
      sunset && `ends on ${sunset}`,
      isOther && `returned version ${version}, not ${requestedVersion}`,
    ];
    const message = `${operation} ${words.filter(Boolean).join(', ')}.`;
    const note = { operation, deprecation, sunset, link, requestedVersion, version, message };
    notify(this.#hooks, 'onDeprecation', () => note);
  }
}
