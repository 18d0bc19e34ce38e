import { waitUntil as wait } from '@open-wc/testing';

/** Waits until something holds; a busy machine may take its time. */
export function waitUntil(
  holds: () => unknown,
  what?: string,
  options: { readonly timeout?: number } = {},
): Promise<void> {
  return wait(holds, what, { timeout: 8000, ...options });
}
