import { css } from './css.ts';

/** Mini, compact and status: links whose height does not depend on the data; neither does the width of compact. */
export const lineStyles = css`
  .line {
    padding: 0.25em 0.875em;
  }
  .line .arrow {
    color: var(--_muted);
  }
  .line .kicker {
    order: 1;
  }
  .compact {
    min-height: 3.75em;
    width: 18em;
  }
  .mini .kicker,
  .compact .kicker:has(~ .live) {
    position: absolute;
    clip-path: inset(50%);
  }
  .mini {
    min-height: calc(2.25em + 2px);
    max-width: 18em;
  }
  .mini .line {
    gap: 0.5em;
  }
  .mini .mark,
  .status .mark {
    width: 1.75em;
  }
  .status {
    min-height: 3.125em;
  }
  .status .text {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 0.75em;
  }
  .status .kicker {
    flex: 1 0 auto; /* In a narrow place it stands below the name, whole. */
    max-width: 100%;
  }
  .status .live {
    order: 2;
  }
`;
