import { readMapping } from './mapping.ts';
import type { Purposes } from './stored-decision.ts';

/**
 * Tells Google's tags on the page what is granted, as https://developers.google.com/tag-platform/security/guides/consent
 * asks for it. A signal that several purposes name needs all of them. The queue `dataLayer` is Google's own.
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

/** What is pushed must be an `arguments` object: Google's tags take nothing else for a command. */
function push(..._command: unknown[]): void {
  const page = window as { dataLayer?: unknown[] };
  page.dataLayer ??= [];
  // biome-ignore lint/complexity/noArguments: as said.
  page.dataLayer.push(arguments);
}
