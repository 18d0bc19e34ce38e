import { css } from './css.ts';
import { floatingStyles } from './floating.styles.ts';
import { lineStyles } from './line.styles.ts';
import { panelStyles } from './panel.styles.ts';

/** Colours, type and parts that the variants share. Sizes follow the visitor's font size, not the page's. */
const sharedStyles = css`
  :host {
    all: initial;
    visibility: inherit;
    pointer-events: inherit;
    display: inline-block;
    max-width: 100%;
    vertical-align: middle;
    font: medium / 1.5 system-ui, sans-serif;
  }
  :host([variant=status]),
  :host([variant=full]) {
    display: block;
  }
  :host([variant=floating]) {
    display: contents;
  }
  :host([hidden]) {
    display: none;
  }
  slot:not([hidden]) ~ * {
    display: none;
  }
  *,
  ::before {
    box-sizing: border-box;
    min-width: 0;
  }
  .root {
    --_accent: rgb(from var(--svc-tb-accent, var(--_a, #c58a2a)) r g b / 1);
    /* Black or white, whichever has more contrast (WCAG 2.2): they change places at luminance 0.179, lightness 49.4. */
    --_on: lab(from color(from var(--_accent) xyz y y y) calc((49.4 - l) * 9999) 0 0);
    --_bg-2: var(--svc-tb-bg-2, light-dark(#f8fafc, #1a1e2b));
    --_text: var(--svc-tb-text, light-dark(#101322, #f1f3f9));
    --_muted: var(--svc-tb-muted, light-dark(#647084, #a5aec0));
    --_border: var(--svc-tb-border, light-dark(#dfe4ee, #2e3445));
    --_good: light-dark(#1a7f4b, #4cc38a);
    --_radius: var(--svc-tb-radius, var(--_r, 22px));
    display: grid;
    max-width: 100%;
    color-scheme: light;
    color: var(--_text);
  }
  .dark {
    color-scheme: dark;
  }
  .auto {
    color-scheme: light dark;
  }
  .s-sm {
    font-size: 0.875em;
  }
  .s-lg {
    font-size: 1.125em;
  }
  .r-sm {
    --_r: 12px;
  }
  .r-md {
    --_r: 16px;
  }
  .r-pill {
    --_r: 99em;
  }
  .face,
  .cta,
  .foot,
  ul,
  li,
  button {
    display: flex;
    align-items: center;
    gap: 0.5em;
  }
  a,
  button,
  dialog {
    color: inherit;
    font: inherit;
    text-decoration: none;
  }
  button {
    cursor: pointer;
  }
  .face,
  li {
    border: 1px solid var(--_border);
  }
  .line *,
  li * {
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .face {
    gap: 0.75em;
    border-radius: var(--_radius);
    background: var(--svc-tb-bg, light-dark(#fff, #12151f));
  }
  .panel,
  dialog {
    border-radius: min(var(--_radius), 2em);
  }
  .panel,
  .float,
  dialog {
    box-shadow: var(--svc-tb-shadow, 0 22px 64px light-dark(#10182824, #0008));
  }
  :where(a, button):hover {
    background: var(--_bg-2);
    text-decoration: underline;
  }
  :focus-visible {
    outline: 2px solid var(--_text);
    outline-offset: 2px;
  }
  svg {
    flex: none;
    width: 1.25em;
    fill: none;
    stroke: currentColor;
    stroke-width: 2;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .arrow:dir(rtl) {
    scale: -1 1;
  }
  .mark {
    width: 2.25em;
    color: var(--_muted);
    stroke-width: 1.5;
  }
  .seal {
    color: var(--_on);
    stroke-width: 2;
  }
  .seal :first-child {
    fill: var(--_accent);
    stroke: var(--_accent);
  }
  .text {
    display: grid;
    flex: 1;
    align-content: center;
    justify-items: start;
  }
  .name {
    overflow: hidden;
    font-weight: 600;
    line-height: 1.25;
  }
  .name:dir(rtl) {
    line-height: 1.5;
  }
  .quiet {
    color: var(--_muted);
  }
  .quiet,
  li {
    font-size: 0.8125em;
  }
  .live::before {
    content: '';
    display: inline-block;
    margin-inline-end: 0.5em;
    border: 0.25em solid;
    border-radius: 1em;
    vertical-align: 0.1em;
  }
  .check,
  .fresh::before {
    color: var(--_good);
  }
  @media (prefers-contrast: more) {
    .root {
      --_muted: var(--_text);
      --_border: var(--_text);
    }
  }
  @media (forced-colors: active) {
    .root {
      --_accent: CanvasText;
      --_muted: CanvasText;
      --_good: CanvasText;
    }
    .cta {
      forced-color-adjust: none;
    }
  }
`;

/** One sheet for all badges of the page; undefined without a DOM, and empty with an incomplete one. */
export const sheet = globalThis.CSSStyleSheet && new CSSStyleSheet();
sheet?.replaceSync?.(sharedStyles + lineStyles + panelStyles + floatingStyles);
