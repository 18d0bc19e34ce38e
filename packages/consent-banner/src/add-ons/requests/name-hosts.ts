import { attempt } from '../../stub/attempt.ts';
import { readHost } from './read-host.ts';
import type { RequestGate } from './request-gate.ts';

/** Whether markup names a host that waits. Nearly all that a page writes names none, and stays as it is. */
export function namesHeldHost(gate: RequestGate, markup: unknown): boolean {
  const text = gate.isOpen ? '' : (attempt(() => String(markup)) ?? '');
  if (!/[/\\]{2}|https?:/i.test(text)) return false;
  return [...text.matchAll(/(?:https?:[/\\]*|(?<![/\\])[/\\]{2,})[^/\\?#\x22\x27\s<>&,]+/gi)].some(([address]) =>
    gate.findHoldOfHost(readHost(address)),
  );
}
