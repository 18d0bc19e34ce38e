import { html, type Markup } from '../../http/html.ts';
import { trustPath } from '../trust/trust-center.ts';
import { inlineNotice } from './inline-notice.ts';
import type { Widget, WidgetName } from './widget.ts';

/** The notice and the tenant whose data an element shows. */
export interface Owner {
  /** Id of a published notice. */
  readonly noticeId: string;
  /** Slug of the tenant. */
  readonly tenant: string;
  /** The notice to put into the page: its bytes, and the language if it was chosen. */
  readonly inline?: { readonly text: string; readonly language: string | undefined };
}

/** Values that the site owner replaces. */
export const placeholders: Owner = { noticeId: 'YOUR-NOTICE-ID', tenant: 'your-tenant' };

export function writeScriptTag({ path, integrity }: Pick<Widget, 'path' | 'integrity'>, baseUrl: string): string {
  return `${html`<script src="${baseUrl}${path}" integrity="${integrity}" crossorigin="anonymous" defer></script>`}`;
}

/** The markup to paste: the script, the element (which finds the origin of its script itself), and both. */
function writeTags(widget: Widget, baseUrl: string, { noticeId, tenant, inline }: Owner) {
  const elements: Readonly<Record<WidgetName, Markup>> = {
    'svc-consent': html`<svc-consent notice-id="${noticeId}"></svc-consent>`,
    // The link is the content until the script runs, or without it.
    'svc-trust-badge': html`<svc-trust-badge tenant="${tenant}"><a href="${baseUrl}${trustPath(tenant)}">Trust center</a></svc-trust-badge>`,
  };
  const script = writeScriptTag(widget, baseUrl);
  const plain = String(elements[widget.name]);
  const isInline = inline !== undefined && widget.name === 'svc-consent';
  const element = isInline ? inlineNotice(plain, inline.text, inline.language) : plain;
  return { script, element, tag: `${script}\n${element}` };
}

/** A script of a widget that only some sites need. */
interface AddOnKind {
  /** True if it runs after the page is parsed. The others must run before the tags that they block. */
  readonly isDeferred: boolean;
  /** Attributes that the site owner edits, with initial values. */
  readonly settings: Readonly<Record<string, string>>;
}

const addOnKinds = {
  gpp: {
    isDeferred: false,
    settings: { 'data-sections': 'usnat', 'data-opt-outs': 'marketing: sale sharing targeted-advertising' },
  },
  inspector: { isDeferred: true, settings: {} },
  // Before the banner that calls it, whose tag may have no defer.
  record: { isDeferred: false, settings: {} },
  requests: { isDeferred: false, settings: { 'data-requests': 'statistics: @statistics; marketing: @marketing' } },
  signals: { isDeferred: false, settings: { 'data-signals': 'statistics: matomo; marketing: meta' } },
} as const satisfies Readonly<Record<string, AddOnKind>>;

export type AddOnName = keyof typeof addOnKinds;

/** The add-ons in a version of a widget, each with its script tag and initial settings. */
function describeAddOns({ name, version, built }: Widget, baseUrl: string) {
  return Object.entries<AddOnKind>(addOnKinds).flatMap(([addOn, { isDeferred, settings }]) => {
    const found = built.find(({ file }) => file === `${name}-${addOn}.js`);
    if (found === undefined) return [];
    const { file, integrity } = found;
    const given = Object.entries(settings).map(([attribute, value]) => html` ${attribute}="${value}"`);
    const tag = `${html`<script src="${baseUrl}/widgets/${name}/${version}/${file}" integrity="${integrity}" crossorigin="anonymous"${isDeferred ? ' defer' : ''}${given}></script>`}`;
    return [{ name: addOn as AddOnName, file, tag }];
  });
}

/** Describes widgets for one address: `/widgets/index.json`. @param widgets the newest version of each first. */
export function describeWidgets(widgets: readonly Widget[], baseUrl: string, owner: Owner = placeholders) {
  const byName = Map.groupBy(widgets, ({ name }) => name);
  return {
    widgets: [...byName].map(([name, versions]) => ({
      name,
      package: `@svc/${versions[0]?.packageName}`,
      versions: versions.map((widget) => ({
        version: widget.version,
        /** False while its bytes can still change. */
        released: widget.isReleased,
        ...writeTags(widget, baseUrl, owner),
        /** Scripts that only some sites need. */
        addOns: describeAddOns(widget, baseUrl),
        files: widget.built.map(({ file, bytes, integrity }) => ({
          file,
          url: `${baseUrl}/widgets/${name}/${widget.version}/${file}`,
          bytes,
          integrity,
        })),
      })),
    })),
  };
}

export type DescribedWidget = ReturnType<typeof describeWidgets>['widgets'][number];
