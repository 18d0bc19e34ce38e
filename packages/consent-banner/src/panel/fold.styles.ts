import { css } from '../first-layer/css.ts';

/** What is folded away under a line with an arrow: descriptions, trackers, and the receipt in a box. */
export const foldStyles = css`
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
