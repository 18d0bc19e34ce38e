import { css } from './css.ts';

/** A box over the frame that is held back: of its size, in the colours of the banner. */
export const placeholderStyles = css`
  :host {
    all: initial;
    position: absolute;
    color-scheme: light dark;
    --_bg: var(--svc-c-bg, light-dark(#f5f7fb, #161a23));
    --_text: var(--svc-c-text, light-dark(#101322, #eef1f7));
    --_control: var(--svc-c-control, light-dark(#737d91, #848fa3));
    --_focus: var(--svc-c-focus, light-dark(#2f6fde, #8ab4ff));
  }
  :host([data-theme='light']) {
    color-scheme: light;
  }
  :host([data-theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  @keyframes arrive {
    from,
    to {
      pointer-events: none;
    }
  }
  div {
    all: initial;
    animation: arrive 0.4s; /* A press at that moment was meant for what stood there before. */
    color-scheme: inherit;
    box-sizing: border-box;
    display: grid;
    align-content: safe center;
    justify-items: center;
    gap: 0.75em;
    inline-size: 100%;
    block-size: 100%;
    padding: 0.75em;
    border: 1px solid var(--_control);
    overflow: auto;
    background: var(--_bg);
    color: var(--_text);
    font: medium / 1.5 var(--svc-c-font, system-ui, sans-serif);
    text-align: center;
    overflow-wrap: anywhere;
  }
  p {
    max-inline-size: 36em;
    margin: 0;
    font-size: 0.9375em;
    text-wrap: pretty;
  }
  button {
    min-block-size: 44px;
    min-inline-size: 44px;
    max-inline-size: 100%;
    padding: 0.5em 1em;
    border: 1px solid var(--_control);
    border-radius: calc(var(--svc-c-radius, 16px) * 0.625);
    background: none;
    color: inherit;
    font: inherit;
    font-size: 0.9375em;
    font-weight: 600;
    line-height: 1.25;
    cursor: pointer;
  }
  button:hover {
    background: color-mix(in srgb, var(--_text) 7%, transparent);
  }
  :focus-visible {
    outline: 3px solid var(--_focus);
    outline-offset: 2px;
  }
  @media (prefers-contrast: more) {
    :host {
      --_control: var(--_text);
    }
  }
  @media print {
    :host {
      display: none;
    }
  }
`;
