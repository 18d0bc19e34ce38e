import { html, type Markup } from '../http/html.ts';
import { trustPath } from '../trust/trust-center.ts';
import type { BuiltFile, Widget, WidgetName } from './widget.ts';

/** Whose data an element shows. */
export interface Owner {
  /** Id of a published notice. */
  readonly noticeId: string;
  /** Slug of the tenant. */
  readonly tenant: string;
}

/** Values that the site owner replaces. */
export const placeholders: Owner = { noticeId: 'YOUR-NOTICE-ID', tenant: 'your-tenant' };

/** The script tag of a widget. */
export function writeScriptTag({ path, integrity }: Pick<Widget, 'path' | 'integrity'>, baseUrl: string): string {
  return `${html`<script src="${baseUrl}${path}" integrity="${integrity}" crossorigin="anonymous" defer></script>`}`;
}

/** The element of a widget, without what the script finds out itself: its own origin. */
function writeElement(name: WidgetName, baseUrl: string, { noticeId, tenant }: Owner): string {
  const elements: Readonly<Record<WidgetName, Markup>> = {
    'svc-consent': html`<svc-consent notice-id="${noticeId}"></svc-consent>`,
    // The link is the content until the script runs, or without it.
    'svc-trust-badge': html`<svc-trust-badge tenant="${tenant}"><a href="${baseUrl}${trustPath(tenant)}">Trust center</a></svc-trust-badge>`,
  };
  return String(elements[name]);
}

function writeTags(widget: Widget, baseUrl: string, owner: Owner) {
  const script = writeScriptTag(widget, baseUrl);
  const element = writeElement(widget.name, baseUrl, owner);
  return { script, element, tag: `${script}\n${element}` };
}

/** A script of a widget that only some sites need, with its own tag. */
interface AddOn {
  readonly name: AddOnName;
  readonly built: BuiltFile;
}

interface AddOnKind {
  /** Whether it runs after the page is parsed. The others must run before the tags that they hold back. */
  readonly isDeferred: boolean;
  /** Attributes that the site owner edits, with initial values. */
  readonly settings: Readonly<Record<string, string>>;
  /** Replaces the element and the tag of the widget. */
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

/** The add-ons in a version of a widget. */
function listAddOns({ name, built }: Widget): readonly AddOn[] {
  const names = Object.keys(addOnKinds) as readonly AddOnName[];
  return names.flatMap((addOn) => {
    const found = built.find(({ file }) => file === `${name}-${addOn}.js`);
    return found ? [{ name: addOn, built: found }] : [];
  });
}

/** The script tag of an add-on, with initial settings. */
function writeAddOnTag({ name, version }: Widget, addOn: AddOn, baseUrl: string): string {
  const { isDeferred, settings }: AddOnKind = addOnKinds[addOn.name];
  const { file, integrity } = addOn.built;
  const given = Object.entries(settings).map(([attribute, value]) => html` ${attribute}="${value}"`);
  return `${html`<script src="${baseUrl}/widgets/${name}/${version}/${file}" integrity="${integrity}" crossorigin="anonymous"${isDeferred ? ' defer' : ''}${given}></script>`}`;
}

/** The element of an add-on that replaces that of the widget; null if the element of the widget stays. */
export function writeAddOnElement(name: AddOnName, owner: Owner): string | null {
  const { element }: AddOnKind = addOnKinds[name];
  return element ? `${element(owner)}` : null;
}

/** Every widget with its versions, the newest first, and their tags: `/widgets/index.json`. */
export interface WidgetIndex {
  readonly widgets: readonly DescribedWidget[];
}

export interface DescribedWidget {
  readonly name: string;
  readonly package: string;
  readonly versions: readonly WidgetVersion[];
}

/** One version of a widget: what to paste, and what it loads. */
interface WidgetVersion {
  readonly version: string;
  /** False while its bytes can still change. */
  readonly released: boolean;
  readonly script: string;
  readonly element: string;
  /** Both, ready to paste. */
  readonly tag: string;
  /** Scripts that only some sites need, each with its own tag. */
  readonly addOns: readonly { readonly name: AddOnName; readonly file: string; readonly tag: string }[];
  readonly files: readonly {
    readonly file: string;
    readonly url: string;
    readonly bytes: number;
    readonly integrity: string;
  }[];
}

/** Describes widgets for one address. @param widgets the newest version of each first. */
export function describeWidgets(widgets: readonly Widget[], baseUrl: string, owner: Owner = placeholders): WidgetIndex {
  const byName = Map.groupBy(widgets, ({ name }) => name);
  return {
    widgets: [...byName].map(([name, versions]) => ({
      name,
      package: `@svc/${versions[0]?.packageName}`,
      versions: versions.map((widget) => ({
        version: widget.version,
        released: widget.isReleased,
        ...writeTags(widget, baseUrl, owner),
        addOns: listAddOns(widget).map((addOn) => ({
          name: addOn.name,
          file: addOn.built.file,
          tag: writeAddOnTag(widget, addOn, baseUrl),
        })),
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
