import { html, type TemplateResult } from 'lit';
import type { Texts } from './differences.ts';
import { viewError } from './element.ts';
import { pageWords, words } from './preferences.ts';

/** Versions of the same content that two users have changed. */
interface Conflict {
  /** Content that both started with. */
  readonly base: Texts;
  /** Content that the other user saved. */
  readonly theirs: Texts;
  /** Their content with the changes of this user. */
  readonly merged: Texts;
}

/** Resolutions that this user can choose. */
interface Answers {
  /** Saves the changes of this user over those of the other one. */
  keep(): void;
  /** Discards the changes of this user. */
  take(): void;
  close(): void;
}

/** The fields that differ. */
export function listChanged<Content extends object>(before: Content, after: Content): Partial<Content> {
  const fields = Object.entries(after) as [keyof Content, unknown][];
  const changed = fields.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed) as Partial<Content>;
}

/**
 * The content of the dialog that shows the changes of both users. The page loads `differences.ts` before.
 * @param error why the last answer failed.
 */
export function viewConflict(
  { base, theirs, merged }: Conflict,
  { keep, take, close }: Answers,
  isBusy: boolean,
  error: unknown,
): TemplateResult {
  return html`<p>${pageWords.editedMeanwhileHint}</p>
    <h3>${pageWords.theirChanges}</h3>
    <svc-differences .earlier=${base} .later=${theirs}></svc-differences>
    <h3>${pageWords.myChanges}</h3>
    <svc-differences .earlier=${theirs} .later=${merged}></svc-differences>
    ${viewError(error)}
    <div class="actions">
      <button class="primary" ?disabled=${isBusy} @click=${keep}>${pageWords.keepMine}</button>
      <button @click=${take}>${pageWords.takeTheirs}</button>
      <button @click=${close}>${words.cancel}</button>
    </div>`;
}
