/** Marks a text as CSS, which the build minifies. */
const css = String.raw;

/** Sizes follow the visitor's font size, not the page's. */
const styles = css`
  /* Rules for all variants. */
  :host {
    all: initial;
    color-scheme: inherit;
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
  * {
    box-sizing: border-box;
    min-width: 0;
  }
  .root {
    --_accent: var(--svc-tb-accent, var(--_a, #c58a2a));
    --_bg-2: var(--svc-tb-bg-2, light-dark(#f8fafc, #1a1e2b));
    --_text: var(--svc-tb-text, light-dark(#101322, #f1f3f9));
    --_muted: var(--svc-tb-muted, light-dark(#647084, #a5aec0));
    --_border: var(--svc-tb-border, light-dark(#dfe4ee, #2e3445));
    --_radius: var(--svc-tb-radius, var(--_r, 22px));
    display: grid;
    max-width: 100%;
    color: var(--_text);
  }
  .light {
    color-scheme: light;
  }
  .dark {
    color-scheme: dark;
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
  [popover] {
    color: inherit;
    font: inherit;
    text-decoration: none;
  }
  button {
    cursor: pointer;
  }
  .face,
  .panel li {
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
  [popover] {
    border-radius: min(var(--_radius), 2em);
  }
  .panel,
  .float,
  [popover] {
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
  .mark {
    width: 2.25em;
    color: var(--_muted);
    stroke-width: 1.5;
  }
  .sure {
    color: var(--_accent);
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
  .panel li {
    font-size: 0.8125em;
  }
  .unseen {
    position: absolute;
    width: 1px;
    clip-path: inset(50%);
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
    }
  }

  /* Mini, compact and status: links whose height does not depend on the data; neither does the width of compact. */
  .line {
    padding: 0.2em 0.875em;
  }
  .line ul {
    gap: 0.375em;
    font-size: 0.8125em;
  }
  .line li + li::before {
    content: '·';
  }
  .line li {
    min-width: 3em;
  }
  .compact {
    min-height: 4.5em;
    width: 18em;
  }
  .compact .text {
    min-height: 3.7em;
    align-content: start;
  }
  .mini {
    min-height: calc(2.25em + 2px);
    max-width: 18em;
  }
  .mini ul {
    font-size: 0.9375em;
  }
  .mini .mark,
  .status .mark {
    width: 1.75em;
  }
  .status {
    min-height: 3.125em;
  }
  .status .text {
    gap: 0 0.75em;
    align-items: baseline;
  }

  /* Card, full and the content of the drawer. A card reserves space for a two-line name and two rows of chips. */
  .card {
    width: 22em;
  }
  .card:has(.shelf) {
    min-height: calc(18.5em + 2px);
  }
  .panel {
    flex-wrap: wrap;
    gap: 1em;
    padding: 1.25em 1.25em 0;
    overflow: hidden;
  }
  .panel .mark {
    width: 3.25em;
  }
  .panel .name {
    font-size: 1.125em;
    overflow-wrap: anywhere;
  }
  .card .name {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .card .text {
    min-height: 4.625em;
  }
  .shelf,
  .cta,
  .foot {
    flex: 1 0 100%;
  }
  ul {
    margin: 0;
    padding: 0;
  }
  .panel ul {
    flex-wrap: wrap;
  }
  .panel li {
    max-width: 100%;
    min-height: 2.375em;
    padding: 0 0.75em;
    background: var(--_bg-2);
    font-weight: 500;
  }
  .shelf {
    min-height: 2em;
  }
  .card .shelf {
    display: grid;
    align-items: center;
    min-height: 4.375em;
  }
  .card ul {
    display: grid;
    grid-template-columns: auto auto;
    justify-content: start;
    justify-items: start;
  }
  .cta,
  .panel button {
    justify-content: center;
    min-height: 2.75em;
    border: 1px solid transparent;
  }
  .cta,
  .panel button,
  .panel li {
    border-radius: calc(var(--_radius) * 0.625);
  }
  .cta {
    padding: 0.25em 1.25em;
    border-color: var(--_border);
    font-weight: 500;
  }
  @media (width > 600px) {
    .status .text {
      grid-template-columns: auto 1fr auto;
    }
    .full .cta {
      flex: none;
    }
    .full .shelf {
      order: 1;
    }
  }
  .foot {
    order: 2;
    flex-wrap: wrap;
    justify-content: end;
    min-height: 2.5em;
    margin-inline: -1.25em;
    padding: 0.25em 1.25em;
    border-block-start: 1px solid var(--_border);
    background: var(--_bg-2);
  }
  .foot .live {
    margin-inline-end: auto;
  }

  /* The floating button, in a physical corner in either writing direction, and its drawer in the same corner. */
  .floating {
    --_edge: max(1em, env(safe-area-inset-top), env(safe-area-inset-bottom), env(safe-area-inset-left));
    display: block; /* WebKit stretches a grid with these sizes over the height of the window, where it takes the clicks. */
    z-index: 2147483647;
  }
  .floating,
  [popover] {
    position: fixed;
    inset: var(--_edge);
    width: fit-content;
    height: fit-content;
    margin: auto;
  }
  .top {
    margin-top: 0;
  }
  .right {
    margin-right: 0;
  }
  .bottom {
    margin-bottom: 0;
  }
  .left {
    margin-left: 0;
  }
  .float {
    min-height: 3em;
    padding: 0 1em;
    font-weight: 600;
  }
  [popover] {
    margin: inherit;
    max-width: min(24em, 100% - 2 * var(--_edge));
    max-height: calc(100% - 2 * var(--_edge));
    padding: 0;
    border: 0;
    background: none;
  }
  [popover] .panel {
    box-shadow: none;
  }
  [popover] .shelf:empty {
    display: none;
  }
  .panel button {
    align-self: start;
    min-width: 2.75em;
    margin: -0.5em;
    background: none;
  }
  @media (width < 481px) {
    .float {
      justify-content: center;
      width: 3em;
      padding: 0;
    }
    .float span {
      position: absolute;
      clip-path: inset(50%);
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    :popover-open {
      animation: slide 0.25s;
    }
    @keyframes slide {
      from {
        translate: 0 1em;
      }
    }
  }
  @media print {
    .floating {
      display: none;
    }
  }
`;

/** One sheet for all badges of the page; undefined without a DOM, and empty with an incomplete one. */
export const sheet = globalThis.CSSStyleSheet && new CSSStyleSheet();
sheet?.replaceSync?.(styles);
