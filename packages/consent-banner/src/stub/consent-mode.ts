import { readMapping } from './mapping.ts';
import type { Purposes } from './stored-decision.ts';

/**
 * Updates Google's tags, as in https://developers.google.com/tag-platform/security/guides/consent. A signal that several
 * purposes name needs all of them. The queue `dataLayer` is Google's.
 */
export function tellConsentMode(
  command: 'default' | 'update',
  mapping: string | null | undefined,
  purposes: Purposes,
): void {
  let signals: Record<string, string> | undefined;
  for (const [key, name] of readMapping(mapping)) {
    signals ??= {};
    signals[name] = purposes[key] === true && signals[name] !== 'denied' ? 'granted' : 'denied';
  }
  if (signals) push('consent', command, signals);
}

/** Pushes an `arguments` object, because Google's tags accept nothing else as a command. */
function push(..._command: unknown[]): void {
  const page = window as { dataLayer?: unknown[] };
  page.dataLayer ??= [];
  // biome-ignore lint/complexity/noArguments: see above.
  page.dataLayer.push(arguments);
}
