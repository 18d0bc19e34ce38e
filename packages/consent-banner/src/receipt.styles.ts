import { css } from './css.ts';

/** The receipt in the panel: a summary line to expand, then names above values. */
export const receiptStyles = css`
  .receipt {
    margin-block: 1em;
    border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) * 0.625);
    font-size: 0.9375em;
  }
  summary {
    display: flex;
    align-items: center;
    justify-content: space-between;
    min-block-size: 44px;
    padding: 0.5em 0.875em;
    border-radius: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary::after {
    content: '';
    flex: none;
    inline-size: 0.5em;
    block-size: 0.5em;
    margin-inline: 0.5em 0.25em;
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
  .receipt :is(p, dl, .quiet) {
    margin: 0.5em 0.875em 0.75em;
  }
  .receipt .quiet {
    inline-size: calc(100% - 1.75em);
    border-color: var(--_control);
  }
  dt {
    color: var(--_muted);
    font-size: 0.875em;
  }
  dd + dt {
    margin-block-start: 0.5em;
  }
  code {
    font-family: ui-monospace, monospace;
    font-size: 0.8125em;
    overflow-wrap: anywhere;
  }
`;
