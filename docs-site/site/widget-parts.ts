import { writeLine } from '../reference/prose.ts';
import { writeCodeBlock } from './code-block.ts';
import { html, type Insertable, type Markup } from './markup.ts';
import { Mistake } from './mistake.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import { serverPlaceholder } from './placeholders.ts';
import { writeTable } from './table.ts';
import type { Member, WidgetBuild } from './widget-manifest.ts';

const titles = { attributes: 'Attribute', properties: 'Property', parts: 'Part', slots: 'Slot' } as const;

/** Finds a widget by the name of its element. @throws {Mistake} when there is none. */
export function findWidget(name: string, { sources, file }: Pick<PartialPlace, 'sources' | 'file'>): WidgetBuild {
  const widget = sources.widgets.find((one) => one.name === name);
  if (widget === undefined) throw new Mistake(file, `there is no widget ${name}`);
  return widget;
}

/** Writes a table of an element's members, from its manifest. */
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

/** Writes the tag of a widget, for a site owner to paste. */
export function writeTag({ name, version, file, integrity }: WidgetBuild): string {
  const address = `${serverPlaceholder}/widgets/${name}/${version}/${file}`;
  const element =
    name === 'svc-consent'
      ? `<svc-consent notice-id="your-notice-id" api-base="${serverPlaceholder}"></svc-consent>`
      : `<${name} tenant="your-slug" api-base="${serverPlaceholder}"></${name}>`;
  return `<script src="${address}"\n        integrity="${integrity}"\n        crossorigin="anonymous" defer></script>\n${element}`;
}

/** Warns about the tag of a version that is not released; null for a released one. */
export function writeReleaseWarning({ name, version, isReleased }: WidgetBuild): Insertable {
  if (isReleased) return null;
  return html`<div class="call-out warning" role="note"><p class="call-out-title">Not released</p><p>${name} ${version} is still being worked on: its bytes may change with the next build, and browsers then refuse them because of the <code>integrity</code> of this tag. For production, use a released version: <code>svc widgets</code> lists them.</p></div>`;
}

/** Writes the tag to copy. A script puts the address of this server into it. */
export function writeWidgetTag(name: string, place: PartialPlace): PartialResult {
  const widget = findWidget(name, place);
  const code = writeTag(widget);
  const content = html`<div data-tag="${name}">${writeCodeBlock({ language: 'html', code, title: `The tag of ${name}` })}</div>${writeReleaseWarning(widget)}`;
  return { content, extras: ['tags'] };
}
