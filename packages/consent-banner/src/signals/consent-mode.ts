import { readMapping } from '../state/mapping.ts';
import type { Purposes } from '../state/stored-decision.ts';

/** How long Google's tags wait for the choice of an undecided visitor, in milliseconds. */
const WAIT = 500;

/**
 * Google Consent Mode, as in https://developers.google.com/tag-platform/security/guides/consent. Its first command sets the
 * default, the others update it. The queue `dataLayer` is Google's.
 */
export class ConsentMode {
  #isSet = false;

  /**
   * Sends the signals of a mapping; one that several purposes name needs all of them.
   * @param isDecided whether these purposes are the visitor's choice: otherwise the tags wait a moment for it.
   */
  send(mapping: string | null | undefined, purposes: Purposes, isDecided: boolean): void {
    const mapped = readMapping(mapping);
    if (!mapped[0]) return;
    const signals: Record<string, string | number> = {};
    for (const [key, name] of mapped)
      signals[name] = purposes[key] === true && signals[name] !== 'denied' ? 'granted' : 'denied';
    if (!this.#isSet && !isDecided) signals.wait_for_update = WAIT;
    push('consent', this.#isSet ? 'update' : 'default', signals);
    this.#isSet = true;
  }
}

/** Pushes an `arguments` object, because Google's tags accept nothing else as a command. */
function push(..._command: unknown[]): void {
  const page = window as { dataLayer?: unknown[] };
  page.dataLayer ??= [];
  // biome-ignore lint/complexity/noArguments: see above.
  page.dataLayer.push(arguments);
}
