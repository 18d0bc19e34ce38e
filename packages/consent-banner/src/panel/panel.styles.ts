import { css } from '../first-layer/css.ts';

/** The preferences dialog: heading and buttons are fixed, the purposes scroll between them. On a phone it is a sheet. */
const dialogStyles = css`
  .panel {
    inline-size: min(38em, 100% - 2 * var(--_gap));
    max-inline-size: none;
    max-block-size: min(50em, 100dvh - 2 * var(--_gap));
    margin: auto;
    padding: 0;
    overflow: auto;
  }
  .place {
    display: contents;
  }
  .panel[open] {
    display: flex;
    flex-direction: column;
  }
  .panel::backdrop {
    background: var(--svc-c-backdrop, rgb(10 12 22 / 0.55));
  }
  header {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 1em;
    padding-block: 1em 0.5em;
    padding-inline: 1.5em 0.875em;
    hyphens: auto;
  }
  .body {
    flex: auto; /* Not from a basis of 0: in WebKit the dialog would be as low as that. */
    min-block-size: 0;
    padding: 0 1.5em 1em;
    overflow: auto;
    overscroll-behavior: contain;
  }
  ul {
    margin-block: 1em;
    padding: 0;
    list-style: none;
  }
  li {
    padding-block: 0.5em 0.75em;
    border-block-start: 1px solid var(--_border);
  }
  li:last-child {
    border-block-end: 1px solid var(--_border);
  }
  .row {
    display: flex;
    align-items: start;
    gap: 1em;
  }
  label {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.125em 0.625em;
    min-inline-size: 0;
    min-block-size: 44px;
    font-weight: 600;
    cursor: pointer;
  }
  label:has(+ :disabled) {
    cursor: default;
  }
  .clamp {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 3;
    overflow: hidden;
  }
  p.about {
    text-align: left; /* On the side of the panel, whichever way the notice's own words run. */
    white-space: pre-line;
  }
  [dir='rtl'] p.about {
    text-align: right;
  }
  .more {
    margin-block: -0.375em;
    padding: 0;
    text-align: start;
    font-size: 0.875em;
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }
  [aria-expanded='true'] > :first-child,
  [aria-expanded='false'] > :last-child {
    display: none;
  }
  strong {
    padding: 0 0.625em;
    border: 1px solid var(--_border);
    border-radius: 99px;
    color: var(--_muted);
    font-size: 0.75em;
    font-weight: 600;
  }
  .signal {
    margin-block-start: 0.75em;
    padding: 0.625em 0.875em;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.625);
    color: inherit;
  }
  [part='about'] {
    font-size: 0.8125em;
  }
  footer {
    display: grid;
    gap: 0.625em;
    padding: 1em 1.5em max(1.25em, env(safe-area-inset-bottom));
    border-block-start: 1px solid var(--_border);
  }
  footer .choice {
    border-color: var(--_control);
    background: none;
    color: inherit;
  }
  footer .choice:hover {
    background: var(--_hover);
  }
  .close {
    flex: none;
    padding: 0;
  }
  .close svg {
    display: block;
    inline-size: 1.375em;
    margin: auto;
    fill: none;
    stroke: currentColor;
    stroke-width: 2;
    stroke-linecap: round;
  }
  @media (max-width: 480px) {
    .panel {
      inline-size: 100%;
      max-block-size: 92dvh;
      margin-block-end: 0;
      border-width: 1px 0 0;
      border-end-start-radius: 0;
      border-end-end-radius: 0;
    }
    .body,
    footer {
      padding-inline: 1em;
    }
    header {
      gap: 0;
      padding-inline: 1em 0.375em;
    }
    header h2 {
      font-size: 1.0625em; /* The German title on one line at 320 px. */
    }
  }
  /* In a low window everything scrolls together, in the whole of it. */
  @media (max-height: 540px) {
    .panel {
      max-block-size: 100dvh;
    }
    .panel[open] {
      display: block;
    }
    .body {
      overflow: visible;
    }
  }
`;

/** A checkbox drawn as a switch: 44 px to hit, with a smaller track to see. */
const switchStyles = css`
  input {
    appearance: none;
    position: relative;
    flex: none;
    inline-size: 48px;
    block-size: 44px;
    border-radius: 8px;
    cursor: pointer;
  }
  input::before,
  input::after {
    content: '';
    position: absolute;
    inset: 9px 0;
    border: 2px solid var(--_control);
    border-radius: 99px;
  }
  input::after {
    inset-block: 14px auto;
    inset-inline: 5px auto;
    inline-size: 16px;
    block-size: 16px;
    background: var(--_control);
  }
  input:checked::before {
    border-color: var(--_accent);
    background: var(--_accent);
  }
  input:checked::after {
    inset-inline-start: 27px;
    border-color: var(--_accent-text);
    background: var(--_accent-text);
  }
  input:disabled {
    opacity: 0.55;
    cursor: default;
  }
  @media (prefers-reduced-motion: no-preference) {
    input::before,
    input::after {
      transition: 0.15s;
    }
  }
  @media (forced-colors: active) {
    input {
      --_control: ButtonText;
      --_focus: Highlight;
      --_accent: Highlight;
      --_accent-text: HighlightText;
      forced-color-adjust: none;
    }
    input:disabled {
      --_accent: GrayText;
      --_accent-text: Canvas;
      opacity: 1;
    }
  }
`;

/** Styles of content that is folded away under a line with an arrow: descriptions, trackers, and the receipt in a box. */
const foldStyles = css`
  .fold {
    font-size: 0.9375em;
  }
  .fold :is(.fold, .about) {
    font-size: 1em;
  }
  .boxed {
    margin-block: 1em;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.625);
  }
  summary {
    display: flex;
    align-items: center;
    gap: 0.5em;
    min-block-size: 44px;
    border-radius: 0.5em;
    color: var(--_muted);
    cursor: pointer;
  }
  .boxed > summary {
    justify-content: space-between;
    padding: 0.5em 0.875em;
    color: inherit;
    font-weight: 600;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary::after {
    content: '';
    flex: none;
    inline-size: 0.4375em;
    block-size: 0.4375em;
    margin-inline: 0.25em;
    border: solid;
    border-width: 0 2px 2px 0;
    rotate: 45deg;
    translate: 0 -0.125em;
  }
  [open] > summary::after {
    rotate: -135deg;
    translate: 0 0.125em;
  }
  summary:hover {
    background: var(--_hover);
  }
  .boxed > :is(p, dl, .quiet) {
    margin: 0.5em 0.875em 0.75em;
  }
  .fold > .quiet {
    display: block;
    inline-size: 100%;
    border-color: var(--_control);
  }
  .boxed > .quiet {
    inline-size: calc(100% - 1.75em);
  }
`;

export const panelStyles = css`${dialogStyles}${foldStyles}${switchStyles}`;
