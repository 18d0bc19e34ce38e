import { css } from './css.ts';

/** Colors, type and buttons that all boxes share. Sizes follow the visitor's font size, not the page's. */
export const sharedStyles = css`
  :host {
    all: initial;
    color-scheme: inherit; /* The page's, not the system's. */
  }
  :host([hidden]) {
    display: none !important;
  }
  #root {
    all: initial; /* Stops the inheritance of values that a page sets for all elements. */
    display: contents;
    color-scheme: inherit;
    --_bg: var(--svc-c-bg, light-dark(#fff, #161a23));
    --_text: var(--svc-c-text, light-dark(#101322, #eef1f7));
    --_muted: var(--svc-c-muted, light-dark(#566076, #a9b2c3));
    --_border: var(--svc-c-border, light-dark(#dfe4ee, #303745));
    --_accent: var(--svc-c-accent, var(--_theme, light-dark(#1d2a4d, #e6ebf6)));
    /* Black or white: at a luminance of 0.179 both have a contrast of 4.58 : 1. */
    --_white: clamp(0, (0.179 - y) * 1e6, 1);
    --_accent-text: var(
      --svc-c-accent-text,
      color(from var(--_accent) xyz-d65 calc(0.95 * var(--_white)) var(--_white) calc(1.089 * var(--_white)))
    );
    --_radius: var(--svc-c-radius, 16px);
    --_gap: var(--svc-c-gap, 16px);
  }
  #root[data-scheme='light'] {
    color-scheme: light;
  }
  #root[data-scheme='dark'] {
    color-scheme: dark;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
    margin: 0;
  }
  @keyframes enter {
    from {
      transform: translateY(12px);
    }
  }
  @keyframes guard {
    from,
    to {
      pointer-events: none;
    }
  }
  .layer {
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_bg);
    color: var(--_text);
    box-shadow: var(--svc-c-shadow, 0 16px 48px light-dark(#10132233, #0009));
    font: medium / 1.5 var(--svc-c-font, system-ui, sans-serif);
    overflow-wrap: anywhere;
    overscroll-behavior: contain;
  }
  @media print {
    .layer {
      display: none !important;
    }
  }
  /* A press at that moment was meant for what was there before: the box takes it, and nothing in it. */
  .layer > * {
    animation: guard 0.4s;
  }
  @media (prefers-reduced-motion: no-preference) {
    .layer {
      animation: enter 0.16s ease-out;
    }
  }
  h2 {
    font-size: 1.125em;
    font-weight: 650;
    line-height: 1.3;
  }
  p,
  .links {
    color: var(--_muted);
    font-size: 0.9375em;
  }
  button {
    min-block-size: 44px;
    min-inline-size: 44px;
    padding: 0.5em;
    border: 1px solid #0000;
    border-radius: calc(var(--_radius) * 0.625);
    background: none;
    color: inherit;
    font: inherit;
    font-size: 0.9375em;
    font-weight: 600;
    line-height: 1.25;
  }
  .choices {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(8em, 100%), 1fr));
    gap: 0.625em;
  }
  .choice {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_accent-text);
  }
  .links {
    display: flex;
    flex-wrap: wrap;
    column-gap: 1.25em;
  }
  /* The page's colors for links are for the page's background, and its rule for what is hidden is for the page. */
  .links a,
  ::slotted(*) {
    display: block !important;
    padding-block: 12px;
    color: inherit !important;
    text-decoration: underline;
  }
  ::slotted([slot='logo']) {
    max-inline-size: 100% !important;
    max-block-size: 3em !important;
    padding-block: 0 0.75em;
    object-fit: contain;
  }
`;
