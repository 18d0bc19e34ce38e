import { commands } from '../../server/cli/run-command.ts';
import { html, type Markup } from './markup.ts';

/** Writes every command of `svc` with its options. */
export function writeCommands(): Markup {
  const entries = commands.map(({ name, summary, description, options }) => {
    const fields = Object.entries(options).map(
      ([option, { type, value, meaning, required }]) =>
        html`<li><div class="field"><code>--${option}${type === 'string' ? ` <${value ?? option}>` : ''}</code>${required ? html` <span class="required">required</span>` : null}</div><div class="about"><p>${meaning}</p></div></li>`,
    );
    return html`<li><div class="field"><code>svc ${name}</code></div><div class="about"><p>${summary}.${description === undefined ? '' : ` ${description}`}</p></div>${fields.length === 0 ? null : html`<ul class="fields">${fields}</ul>`}</li>
`;
  });
  return html`<ul class="fields">${entries}</ul>`;
}
