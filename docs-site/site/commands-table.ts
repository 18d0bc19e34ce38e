import { describeOption } from '../../server/cli/command.ts';
import { commands } from '../../server/cli/commands.ts';
import { html, type Markup } from './markup.ts';

const loaded = await Promise.all(commands.map(async (named) => ({ ...named, ...(await named.load()) })));

/** Writes every command of `svc` with its options. */
export function writeCommands(): Markup {
  const entries = loaded.map(({ name, summary, description, options }) => {
    const fields = Object.entries(options).map(([name, option]) => {
      const { usage, isRequired } = describeOption(name, option);
      return html`<li><div class="field"><code>${usage}</code>${isRequired ? html` <span class="required">required</span>` : null}</div><div class="about"><p>${option.meaning}</p></div></li>`;
    });
    return html`<li><div class="field"><code>svc ${name}</code></div><div class="about">${writeAbout(summary, description)}</div>${fields.length === 0 ? null : html`<ul class="fields">${fields}</ul>`}</li>
`;
  });
  return html`<ul class="fields">${entries}</ul>`;
}

/** Writes paragraphs, and lists line by line, as the command itself prints them. */
function writeAbout(summary: string, description: string | undefined): Markup {
  const text = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  const parts = text.split(/\n\n|\n(?= {2}\S)/);
  return html`${parts.map((part) => (part.startsWith('  ') ? writeItem(part) : html`<p>${part}</p>`))}`;
}

function writeItem(line: string): Markup {
  const [, name = '', meaning = ''] = /^ {2}(\S+)\s+([\s\S]*)$/.exec(line) ?? [];
  return html`<p class="item"><code>${name}</code> ${meaning}</p>`;
}
