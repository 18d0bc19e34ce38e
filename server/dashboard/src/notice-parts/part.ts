import type { TemplateResult } from 'lit';
import type { Messages } from '../../../consent/messages/messages.ts';
import type { Draft } from '../notice-draft.ts';

/** State of the editor of a notice, as its parts use it. */
export interface EditorState {
  readonly draft: Draft;
  readonly mayEdit: boolean;
  /** The language whose texts are edited and shown. */
  readonly language: string;
  /** The words of the server in that language; null until they are loaded. */
  readonly words: Messages | null;
  chooseLanguage(tag: string): void;
  /** Takes a change that is no input in a field. @param focus selectors of what has the focus then; the first that is there. */
  change(draft: Draft, ...focus: readonly string[]): void;
}

/** A part of the editor. */
export interface NoticePart {
  readonly viewPart: (state: EditorState) => TemplateResult;
}
