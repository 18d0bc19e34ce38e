// Of Vue's own types, as much as typings of an element meet.
export interface HTMLAttributes {
  id?: string | undefined;
  class?: unknown;
  lang?: string | undefined;
  onClick?: ((event: Event) => void) | undefined;
}

export interface PublicProps {
  key?: PropertyKey | undefined;
  ref?: string | undefined;
}

export interface GlobalComponents {
  RouterLink?: unknown;
}
