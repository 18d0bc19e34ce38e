import { writeLine } from '../reference/prose.ts';
import { writeCodeBlock } from './code-block.ts';
import { html, type Insertable, type Markup } from './markup.ts';
import { Mistake } from './mistake.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import { writeTable } from './table.ts';
import type { Member, WidgetBuild } from './widget-manifest.ts';

/** Stands for the address of the server, which a script on the page puts in where it knows it. */
const serverPlaceholder = 'https://consent.example.com';

const titles = { attributes: 'Attribute', properties: 'Property', parts: 'Part', slots: 'Slot' } as const;

/** Finds a widget by the name of its element. @throws {Mistake} when there is none. */
export function findWidget(name: string, { sources, file }: Pick<PartialPlace, 'sources' | 'file'>): WidgetBuild {
  const widget = sources.widgets.find((one) => one.name === name);
  if (widget === undefined) throw new Mistake(file, `there is no widget ${name}`);
  return widget;
}

/** Writes what an element takes, out of its manifest. */
export function writeMembers(kind: keyof typeof titles, name: string, place: PartialPlace): PartialResult {
  const members = findWidget(name, place)[kind];
  if (members.length === 0) return { content: html`` };
  const hasDefaults = members.some((member) => member.default !== undefined);
  const rows = members.map((member) => [
    html`<code>${member.name === '' ? '(unnamed)' : member.name}</code>`,
    ...(kind === 'attributes' ? [writeValues(member)] : []),
    ...(hasDefaults ? [member.default === undefined ? '–' : html`<code>${member.default}</code>`] : []),
    writeLine(member.description ?? ''),
  ]);
  const columns = [
    titles[kind],
    ...(kind === 'attributes' ? ['Values'] : []),
    ...(hasDefaults ? ['Default'] : []),
    'Meaning',
  ];
  return { content: writeTable(`${titles[kind]}s of ${name}`, columns, rows) };
}

function writeValues({ type }: Member): Markup {
  const values = readChoices(type?.text ?? 'string');
  return values === null
    ? html`${type?.text ?? 'string'}`
    : html`${values.map((value, index) => html`${index > 0 ? ', ' : ''}<code>${value}</code>`)}`;
}

/** The values that a type allows; null when they are not a few words. */
export function readChoices(type: string): readonly string[] | null {
  const values = type.split('|').map((value) => value.trim().replace(/^['"]|['"]$/g, ''));
  const isFew =
    values.length > 1 &&
    values.every((value) => /^[\w-]+$/.test(value) && !['string', 'null', 'undefined', 'number'].includes(value));
  return isFew ? values : null;
}

/** Writes the tag of a widget as a site owner pastes it. */
export function writeTag({ name, version, file, integrity }: WidgetBuild): string {
  const address = `${serverPlaceholder}/widgets/${name}/${version}/${file}`;
  const element =
    name === 'svc-consent'
      ? `<svc-consent notice-id="your-notice-id" api-base="${serverPlaceholder}"></svc-consent>`
      : `<${name} tenant="your-slug" api-base="${serverPlaceholder}"></${name}>`;
  return `<script src="${address}"\n        integrity="${integrity}"\n        crossorigin="anonymous" defer></script>\n${element}`;
}

/** Warns of the tag of a version that is still being worked on; null for a released one. */
export function writeReleaseWarning({ name, version, isReleased }: WidgetBuild): Insertable {
  if (isReleased) return null;
  return html`<div class="call-out warning" role="note"><p class="call-out-title">Not released</p><p>${name} ${version} is still being worked on: its bytes may change with the next build, and then the <code>integrity</code> of this tag refuses them. For a page that lasts, take a released version: <code>svc widgets</code> lists them.</p></div>`;
}

/** Writes the tag to copy; a script puts the address of this server in. */
export function writeWidgetTag(name: string, place: PartialPlace): PartialResult {
  const widget = findWidget(name, place);
  const code = writeTag(widget);
  const content = html`<div data-tag="${name}">${writeCodeBlock({ language: 'html', code, title: `The tag of ${name}` })}</div>${writeReleaseWarning(widget)}`;
  return { content, extras: ['tags'] };
}
