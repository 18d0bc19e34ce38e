import {
  type AddOnName,
  listAddOns,
  type Owner,
  placeholders,
  writeAddOnTag,
  writeElement,
  writeScriptTag,
  writeTag,
} from './tags.ts';
import type { Widget } from './widget.ts';

/** Every widget with its versions, the newest first, and the tags for one address. */
export interface WidgetIndex {
  readonly widgets: readonly DescribedWidget[];
}

export interface DescribedWidget {
  readonly name: string;
  readonly package: string;
  readonly versions: readonly WidgetVersion[];
}

/** One version of a widget: what to paste, and what it loads. */
export interface WidgetVersion {
  readonly version: string;
  /** False for one that is still being worked on: its bytes may change, so it is not for pages that last. */
  readonly released: boolean;
  readonly script: string;
  readonly element: string;
  /** Both, ready to paste. */
  readonly tag: string;
  /** Further scripts for sites that need them, each with a tag of its own; empty for a widget or a version without. */
  readonly addOns: readonly { readonly name: AddOnName; readonly file: string; readonly tag: string }[];
  readonly files: readonly {
    readonly file: string;
    readonly url: string;
    readonly bytes: number;
    readonly integrity: string;
  }[];
}

/** Tells of widgets, given with the newest version first, as they are at one address. */
export function describeWidgets(widgets: readonly Widget[], baseUrl: string, owner: Owner = placeholders): WidgetIndex {
  const byName = Map.groupBy(widgets, ({ name }) => name);
  return {
    widgets: [...byName].map(([name, versions]) => ({
      name,
      package: `@svc/${versions[0]?.packageName}`,
      versions: versions.map((widget) => ({
        version: widget.version,
        released: widget.isReleased,
        script: writeScriptTag(widget, baseUrl),
        element: writeElement(name, baseUrl, owner),
        tag: writeTag(widget, baseUrl, owner),
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
