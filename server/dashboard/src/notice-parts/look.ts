import { html, nothing, type TemplateResult } from 'lit';
import { positions } from '../../../consent/notice-bounds.ts';
import { judgeAccent } from '../accent.ts';
import { choice, viewHinted } from '../element.ts';
import type { Draft } from '../notice-draft.ts';
import { pageWords } from '../preferences.ts';
import type { EditorState } from './part.ts';

/** Layout, place, colour scheme and accent of the banner. */
export function viewPart({ draft, mayEdit, change }: EditorState): TemplateResult {
  const { editor } = pageWords;
  const { scheme = '', layout = '', position = '', accent = '' } = draft.theme ?? {};
  const possible: readonly string[] = positions[layout || 'card'];
  const chooseLayout = (event: Event) => {
    const chosen = (event.currentTarget as HTMLSelectElement).value as keyof typeof positions | '';
    const { position: current, ...theme } = draft.theme ?? {};
    const stays = current !== undefined && (positions[chosen || 'card'] as readonly string[]).includes(current);
    change(writeTheme(draft, { ...theme, layout: chosen || undefined, ...(stays && { position: current }) }));
  };
  const withDefault = (names: Readonly<Record<string, string>>, first: string) =>
    Object.entries({ '': `${editor.byDefault} ${names[first]}`, ...names });
  return html`${choice(editor.layout, 'theme.layout', withDefault(editor.layouts, 'card'), layout, chooseLayout)}
    ${
      possible.length === 0
        ? html`<p class="quiet">${editor.noPosition}</p>`
        : choice(
            editor.position,
            'theme.position',
            withDefault(pick(editor.positions, possible), possible[0] ?? ''),
            position,
          )
    }
    <p class="quiet">${editor.phoneHint}</p>
    ${choice(editor.scheme, 'theme.scheme', withDefault(editor.schemes, 'page'), scheme)}
    <div class="accent">
      ${viewHinted(
        editor.accent,
        html`<input
          name="theme.accent"
          autocomplete="off"
          placeholder="#1d2a4d"
          .value=${accent}
          aria-describedby="accent-hint accent-contrast"
        />`,
        html`<span class="quiet" id="accent-hint">${editor.accentHint}</span>`,
      )}
      ${
        mayEdit
          ? html`<label class="field">
              <span>${editor.pick}</span>
              <input
                type="color"
                name="theme.accent"
                .value=${/^#[0-9a-f]{6}$/i.test(accent) ? accent : '#1d2a4d'}
              />
            </label>`
          : nothing
      }
    </div>
    <div id="accent-contrast" role="status">${viewContrast(accent, scheme)}</div>`;
}

function writeTheme(draft: Draft, theme: object): Draft {
  return { ...draft, theme: theme as NonNullable<Draft['theme']> };
}

function pick(names: Readonly<Record<string, string>>, possible: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(possible.map((name) => [name, names[name] ?? name]));
}

/**
 * Contrast of the colors that the banner derives from an accent, also of buttons with the background (WCAG 2.2,
 * 1.4.11).
 */
function viewContrast(accent: string, scheme: string): TemplateResult | typeof nothing {
  const { editor } = pageWords;
  const judged = judgeAccent(accent);
  if (judged === null) return nothing;
  const schemes = (['light', 'dark'] as const).filter((one) => scheme !== (one === 'light' ? 'dark' : 'light'));
  return html`<p>
      ${editor.textOnAccent} ${editor.textColors[judged.text]}, ${writeRatio(judged.textContrast)}.
    </p>
    <ul class="plain">
      ${schemes.map((one) => {
        const ratio = judged.background[one];
        return html`<li>
          <span>${editor.onBackground[one]} ${writeRatio(ratio)}</span>
          <span class="status" data-tone=${ratio < 3 ? 'bad' : 'good'}>
            ${ratio < 3 ? editor.lowContrast : editor.goodContrast}
          </span>
        </li>`;
      })}
    </ul>
    ${schemes.some((one) => judged.background[one] < 3) ? html`<p class="notice">${editor.contrastHint}</p>` : nothing}`;
}

/** Rounded down: 2.99 is not 3. */
function writeRatio(ratio: number): string {
  const rounded = Math.floor(ratio * 10) / 10;
  return `${rounded.toLocaleString(document.documentElement.lang)}\u00a0:\u00a01`;
}
