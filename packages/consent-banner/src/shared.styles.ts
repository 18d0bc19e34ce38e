import { css } from './css.ts';

/** Colours, type and buttons that all boxes share. Sizes follow the visitor's font size, not the page's. */
export const sharedStyles = css`
  :host {
    all: initial;
    color-scheme: light dark;
    --_bg: var(--svc-c-bg, light-dark(#fff, #161a23));
    --_text: var(--svc-c-text, light-dark(#101322, #eef1f7));
    --_muted: var(--svc-c-muted, light-dark(#566076, #a9b2c3));
    --_border: var(--svc-c-border, light-dark(#dfe4ee, #303745));
    --_control: var(--svc-c-control, light-dark(#737d91, #848fa3));
    --_accent: var(--svc-c-accent, light-dark(#1d2a4d, #e6ebf6));
    --_accent-text: var(--svc-c-accent-text, light-dark(#fff, #101322));
    --_focus: var(--svc-c-focus, light-dark(#2f6fde, #8ab4ff));
    --_hover: color-mix(in srgb, var(--_text) 7%, transparent);
    --_radius: var(--svc-c-radius, 16px);
    --_gap: var(--svc-c-gap, 16px);
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  @media (prefers-contrast: more) {
    :host {
      --_muted: var(--_text);
      --_border: var(--_text);
      --_control: var(--_text);
    }
  }
  :host([hidden]) {
    display: none !important;
  }
  #root {
    all: initial; /* What a page's rules for all elements make the element inherit ends here. */
    display: contents;
    color-scheme: inherit;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
    margin: 0;
  }
  @keyframes arrive {
    from,
    to {
      pointer-events: none;
    }
  }
  .layer {
    animation: arrive 0.4s; /* A press at that moment was meant for what stood there before. */
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_bg);
    color: var(--_text);
    box-shadow: var(--svc-c-shadow, 0 16px 48px light-dark(rgb(16 19 34 / 0.2), rgb(0 0 0 / 0.6)));
    font: medium / 1.5 var(--svc-c-font, system-ui, sans-serif);
    text-align: start;
    overflow-wrap: anywhere;
    overscroll-behavior: contain;
  }
  h2 {
    font-size: 1.125em;
    font-weight: 650;
    line-height: 1.3;
    text-wrap: balance;
  }
  p,
  .about {
    color: var(--_muted);
    font-size: 0.9375em;
    text-wrap: pretty;
  }
  button {
    min-block-size: 44px;
    min-inline-size: 44px;
    padding: 0.5em;
    border: 1px solid transparent;
    border-radius: calc(var(--_radius) * 0.625);
    background: none;
    color: inherit;
    font: inherit;
    font-size: 0.9375em;
    font-weight: 600;
    line-height: 1.25;
    cursor: pointer;
  }
  :focus-visible,
  ::slotted(:focus-visible) {
    outline: 3px solid var(--_focus);
    outline-offset: 2px;
  }
  .choices {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(8em, 100%), 1fr));
    gap: 0.625em;
  }
  .choice,
  .save {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_accent-text);
  }
  .choice:hover,
  .save:hover {
    background: color-mix(in srgb, var(--_accent) 86%, var(--_bg));
  }
  .quiet:hover,
  .close:hover {
    background: var(--_hover);
  }
  @media print {
    .layer {
      display: none;
    }
  }
`;
