// The part of React's types that typings of an element use.
export type ReactNode = string | number | boolean | null | undefined | JSX.Element | readonly ReactNode[];

export interface HTMLAttributes<T> {
  className?: string | undefined;
  id?: string | undefined;
  hidden?: boolean | undefined;
  lang?: string | undefined;
  children?: ReactNode;
  onClick?: ((event: { readonly currentTarget: T }) => void) | undefined;
}

export interface AnchorHTMLAttributes<T> extends HTMLAttributes<T> {
  href?: string | undefined;
}

export interface ClassAttributes<T> {
  key?: string | number | undefined;
  ref?: ((element: T | null) => void) | undefined;
}

export type DetailedHTMLProps<E extends HTMLAttributes<T>, T> = ClassAttributes<T> & E;

export namespace JSX {
  export interface Element {
    readonly type: string;
  }
  export interface ElementChildrenAttribute {
    children: unknown;
  }
  export interface IntrinsicElements {
    a: DetailedHTMLProps<AnchorHTMLAttributes<HTMLAnchorElement>, HTMLAnchorElement>;
  }
}
