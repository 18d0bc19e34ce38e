import { css } from './css.ts';

/** The preferences dialog: heading and buttons are fixed, the purposes scroll between them. */
export const panelStyles = css`
  .panel {
    inline-size: min(36em, 100% - 2 * var(--_gap));
    max-inline-size: none;
    max-block-size: min(48em, 100dvh - 2 * var(--_gap));
    margin: auto;
    padding: 0;
    overflow: auto;
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
  }
  ul {
    margin-block: 1em;
    padding: 0;
    list-style: none;
  }
  li {
    display: flex;
    align-items: start;
    gap: 1em;
    padding-block: 0.625em 0.875em;
    border-block-start: 1px solid var(--_border);
  }
  li:last-child {
    border-block-end: 1px solid var(--_border);
  }
  label {
    flex: 1;
    min-inline-size: 0;
    padding-block-start: 0.5em;
    cursor: pointer;
  }
  label:has(+ :disabled) {
    cursor: default;
  }
  .name {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.125em 0.625em;
    font-weight: 600;
  }
  .body > p + p {
    margin-block-start: 0.5em;
  }
  span.about {
    display: block;
    text-align: left; /* On the side of the panel, whichever way the notice's own words run. */
    margin-block-start: 0.125em;
  }
  [dir='rtl'] span.about {
    text-align: right;
  }
  strong {
    padding: 0 0.625em;
    border: 1px solid var(--_border);
    border-radius: 99px;
    color: var(--_muted);
    font-size: 0.75em;
    font-weight: 600;
  }
  p.about {
    font-size: 0.8125em;
  }
  .body slot {
    justify-content: start;
  }
  footer {
    display: grid;
    gap: 0.625em;
    padding: 1em 1.5em 1.25em;
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
  svg {
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
      --_gap: var(--svc-c-gap, 8px);
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
  @media (max-height: 540px) {
    .panel[open] {
      display: block;
    }
  }
`;
