import { css } from './css.ts';

/** The floating button: 48 px in a corner, above the page and below nothing. */
export const triggerStyles = css`
  .trigger {
    position: fixed;
    z-index: 2147483646;
    inset: auto auto max(var(--_gap), env(safe-area-inset-bottom)) var(--_gap);
    inline-size: 48px;
    block-size: 48px;
    padding: 0;
    border-color: var(--_control);
    border-radius: 50%;
  }
  .trigger[data-place='bottom-right'] {
    left: auto;
    right: var(--_gap);
  }
  .trigger svg {
    stroke-linejoin: round;
  }
`;
