import { describeSettings } from '../../server/settings.ts';
import { html, type Markup } from './markup.ts';
import { writeTable } from './table.ts';

/** Writes every setting of the server. */
export function writeSettings(): Markup {
  const rows = describeSettings().map(({ name, meaning }) => [html`<code>${name}</code>`, meaning]);
  return writeTable('Settings', ['Variable', 'Meaning'], rows);
}
