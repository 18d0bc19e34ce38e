import { html, type Markup } from '../http/html.ts';
import { trustPath } from '../trust/trust-center.ts';
import type { WidgetName } from './catalogue.ts';
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
