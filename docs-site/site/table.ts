import { html, type Insertable, type Markup } from './markup.ts';

/** Writes a table whose first column names its rows; it may scroll sideways within itself. */
export function writeTable(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly Insertable[])[],
): Markup {
  const head = columns.map((column) => html`<th scope="col">${column}</th>`);
  const body = rows.map(
    ([first, ...others]) =>
      html`<tr><th scope="row">${first ?? null}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  );
  return html`<div class="table" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
`;
}
