import type { Purposes } from '../decision/stored-decision.ts';
import type { Mapped } from '../page/attributes.ts';
import { reportProblem } from '../page/browser.ts';

const GRAMMAR = /^\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*(;\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*)*(;\s*)?$/;

/** Logs an attribute whose text is not in the grammar of a mapping. */
export function reportInvalidMapping(attribute: string, text: string | null | undefined, example: string): void {
  if (GRAMMAR.test(text ?? '')) return;
  reportProblem(`${attribute}="${text ?? ''}" is not understood. It must be pairs such as "${example}".`);
}

/** Logs the purposes of an attribute's mapping that the visitor was not asked about. They count as refused. */
export function reportUnknownPurposes(attribute: string, mapping: readonly Mapped[], purposes: Purposes): void {
  for (const [key] of mapping) {
    if (Object.hasOwn(purposes, key)) continue;
    reportProblem(`${attribute}: the visitor was not asked about the purpose "${key}". Check the keys of the notice.`);
  }
}

/** Logs those that cannot be refused, where only a choice of the visitor counts. */
export function reportRequiredPurposes(
  attribute: string,
  mapping: readonly Mapped[],
  required: readonly string[],
): void {
  for (const [key] of mapping) {
    if (!required.includes(key)) continue;
    reportProblem(`${attribute}: the purpose "${key}" cannot be refused, so it allows nothing. Name one that can be.`);
  }
}
