import type { Purposes } from '../decision/stored-decision.ts';
import { readMapping } from './attributes.ts';
import { query } from './browser.ts';

/** How long Google's tags wait for the choice of an undecided visitor, in milliseconds. */
const WAIT = 500;

/**
 * Google Consent Mode, as in https://developers.google.com/tag-platform/security/guides/consent. Its first command sets the
 * default, the others update it.
 */
export class ConsentMode {
  /** The name of the array that has the default. */
  #layer: string | undefined;

  /**
   * Sends the signals of a mapping; one that several purposes name needs all of them.
   * @param layer the name of the array, if the page gives it.
   * @param isDecided whether these purposes are the visitor's choice: otherwise the tags wait a moment for it.
   * @param isNew whether to send the event `svc_consent` after them, for triggers of Tag Manager.
   */
  send(
    mapping: string | null | undefined,
    layer: string | null | undefined,
    purposes: Purposes,
    isDecided: boolean,
    isNew: unknown,
  ): void {
    const page = window as unknown as Record<string, unknown[] | undefined>;
    const mapped = readMapping(mapping);
    const name = layer || findLayer() || 'dataLayer';
    if (mapped[0] || layer) page[name] ??= [];
    if (mapped[0]) {
      const signals: Record<string, string | number> = {};
      for (const [key, signal] of mapped)
        signals[signal] = purposes[key] === true && signals[signal] !== 'denied' ? 'granted' : 'denied';
      // A tag of Google that was added since may read another array.
      const isSet = this.#layer === name;
      if (!isSet && !isDecided) signals.wait_for_update = WAIT;
      this.#layer = name;
      // Google's tags accept nothing else than an `arguments` object as a command.
      (function (..._command: unknown[]) {
        // biome-ignore lint/complexity/noArguments: see above.
        page[name]?.push?.(arguments);
      })('consent', isSet ? 'update' : 'default', signals);
    }
    // Without a mapping it may be anything, such as an element with that id.
    if (isNew) page[name]?.push?.({ event: 'svc_consent', svc_consent: purposes });
  }
}

/** The parameter `l` of Google's tags names the array that they read in place of `dataLayer`. */
function findLayer(): string | undefined {
  const tag = query<HTMLScriptElement>('script[src*="/gt"][src*="l="]');
  return /[?&]l=([^&]+)/.exec(tag?.src ?? '')?.[1];
}
