import { call, transport } from './api.ts';

/** Saves a text as a file of the user. */
export function saveFile(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

/** The address of what a link downloads: it names the tenant and the user that the pages show, because links have no headers. */
export function linkTo(path: string): string {
  return `${path}?${new URLSearchParams({ tenant: transport.tenantId ?? '', user: transport.userId ?? '' })}`;
}

/** Downloads through a link, so that the browser streams the file, however large. */
export async function download(path: string): Promise<void> {
  // Lets the user sign in again, or back into the tenant that the page shows: a link that is refused only fails.
  await call('getMe', 'GET', '/v1/me');
  Object.assign(document.createElement('a'), { href: linkTo(path), download: '' }).click();
}

/** Saves rows as a file for spreadsheets. @param rows the headings first. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  // Without the byte order mark, Excel reads UTF-8 as the code page of the system.
  const text = rows.map((row) => `${row.map(quoteCell).join(',')}\r\n`).join('');
  saveFile(name, `\uFEFF${text}`, 'text/csv;charset=utf-8');
}

/** Text that a spreadsheet would run as a formula (OWASP "CSV Injection"), also behind white space. */
const formula = /^\s*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A cell as RFC 4180 has it; a text that starts like a formula gets an apostrophe, which makes it a text. */
function quoteCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
