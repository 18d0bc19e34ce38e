// The part of Vue's types that typings of an element use.
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
