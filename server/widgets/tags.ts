import { html, type Markup } from '../http/html.ts';
import { trustPath } from '../trust/trust-center.ts';
import type { WidgetName } from './catalogue.ts';
import type { BuiltFile } from './manifest.ts';
import type { Widget } from './widget.ts';

/** Whose data an element shows. */
export interface Owner {
  /** Id of a published notice. */
  readonly noticeId: string;
  /** Slug of the tenant. */
  readonly tenant: string;
}

/** Stands where a site owner has a value of their own. */
export const placeholders: Owner = { noticeId: 'YOUR-NOTICE-ID', tenant: 'your-tenant' };

/** The script tag of a widget as a site owner pastes it. */
export function writeScriptTag({ path, integrity }: Pick<Widget, 'path' | 'integrity'>, baseUrl: string): string {
  return `${html`<script src="${baseUrl}${path}" integrity="${integrity}" crossorigin="anonymous" defer></script>`}`;
}

/** The element of a widget as a site owner pastes it. What the script knows by itself (its own origin) is left out. */
export function writeElement(name: WidgetName, baseUrl: string, { noticeId, tenant }: Owner = placeholders): string {
  const elements: Readonly<Record<WidgetName, Markup>> = {
    'svc-consent': html`<svc-consent notice-id="${noticeId}"></svc-consent>`,
    // The link inside is what stands there until the script runs, or without it.
    'svc-trust-badge': html`<svc-trust-badge tenant="${tenant}"><a href="${baseUrl}${trustPath(tenant)}">Trust center</a></svc-trust-badge>`,
  };
  return String(elements[name]);
}

/** All that a site owner pastes for a widget. */
export function writeTag(widget: Widget, baseUrl: string, owner: Owner = placeholders): string {
  return `${writeScriptTag(widget, baseUrl)}\n${writeElement(widget.name, baseUrl, owner)}`;
}

/** A script of a widget that only some sites need, with a tag of its own. */
export interface AddOn {
  readonly name: AddOnName;
  readonly built: BuiltFile;
}

interface AddOnKind {
  /** Whether it may run when the page is read. The others run before the tags behind theirs: they hold those back. */
  readonly isDeferred: boolean;
  /** What a site owner fills in, with values to start from. */
  readonly settings: Readonly<Record<string, string>>;
  /** What stands on the page in the place of the widget's own element and tag. */
  readonly element?: (owner: Owner) => Markup;
}

const addOnKinds = {
  elements: {
    isDeferred: true,
    settings: {},
    element: ({ noticeId }) => html`<svc-consent-view notice-id="${noticeId}"></svc-consent-view>`,
  },
  gpp: {
    isDeferred: false,
    settings: { 'data-sections': 'usnat', 'data-opt-outs': 'marketing: sale sharing targeted-advertising' },
  },
  inspector: { isDeferred: true, settings: {} },
  requests: { isDeferred: false, settings: { 'data-requests': 'statistics: @statistics; marketing: @marketing' } },
  signals: { isDeferred: false, settings: { 'data-signals': 'statistics: matomo; marketing: meta' } },
  tcf: {
    isDeferred: false,
    settings: {
      'data-cmp-id': 'YOUR-CMP-ID',
      'data-publisher-country': 'YOUR-COUNTRY',
      'data-vendor-list': '/vendor-list.json',
      'data-vendors': 'YOUR-VENDOR-IDS',
      'data-purposes': 'statistics: 8 9 10; marketing: 1 2 3 4 7',
    },
  },
} as const satisfies Readonly<Record<string, AddOnKind>>;

export type AddOnName = keyof typeof addOnKinds;

/** The add-ons that a version of a widget has: the first had none. */
export function listAddOns({ name, built }: Pick<Widget, 'name' | 'built'>): readonly AddOn[] {
  const names = Object.keys(addOnKinds) as readonly AddOnName[];
  return names.flatMap((addOn) => {
    const found = built.find(({ file }) => file === `${name}-${addOn}.js`);
    return found ? [{ name: addOn, built: found }] : [];
  });
}

/** The script tag of an add-on as a site owner pastes it, with settings to start from. */
export function writeAddOnTag(
  { name, version }: Pick<Widget, 'name' | 'version'>,
  addOn: AddOn,
  baseUrl: string,
): string {
  const { isDeferred, settings }: AddOnKind = addOnKinds[addOn.name];
  const { file, integrity } = addOn.built;
  const given = Object.entries(settings).map(([attribute, value]) => html` ${attribute}="${value}"`);
  return `${html`<script src="${baseUrl}/widgets/${name}/${version}/${file}" integrity="${integrity}" crossorigin="anonymous"${isDeferred ? ' defer' : ''}${given}></script>`}`;
}

/**
 * The element of an add-on that stands in the place of the widget, as a site owner pastes it.
 * @returns null for an add-on beside the widget, whose element stays.
 */
export function writeAddOnElement(name: AddOnName, owner: Owner = placeholders): string | null {
  const { element }: AddOnKind = addOnKinds[name];
  return element ? `${element(owner)}` : null;
}
