import type { JSX as ReactJsx } from './index.d.ts';

export namespace JSX {
  export type Element = ReactJsx.Element;
  export interface ElementChildrenAttribute extends ReactJsx.ElementChildrenAttribute {}
  export interface IntrinsicElements extends ReactJsx.IntrinsicElements {}
}

export function jsx(type: unknown, props: unknown): JSX.Element;
export function jsxs(type: unknown, props: unknown): JSX.Element;
