// The part of Svelte's types that typings of an element use.
export interface HTMLAttributes<T extends EventTarget> {
  id?: string | null | undefined;
  class?: string | null | undefined;
  lang?: string | null | undefined;
  onclick?: ((event: Event & { readonly currentTarget: EventTarget & T }) => void) | null | undefined;
}

export interface SvelteHTMLElements {
  a: HTMLAttributes<HTMLAnchorElement> & { href?: string | null | undefined };
  // biome-ignore lint/suspicious/noExplicitAny: as in Svelte
  [name: string]: { [name: string]: any };
}
