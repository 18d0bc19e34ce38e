import { css } from './css.ts';

/** The floating button, in a physical corner in either writing direction, and its drawer in the same corner. */
export const floatingStyles = css`
  .floating {
    --_edge: max(1em, env(safe-area-inset-top), env(safe-area-inset-bottom), env(safe-area-inset-left));
    z-index: 2147483647;
  }
  .floating,
  dialog {
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
  dialog {
    margin: inherit;
    max-width: 24em;
    max-height: calc(100% - 2 * var(--_edge));
    padding: 0;
    border: 0;
    background: none;
  }
  dialog::backdrop {
    background: #0007;
  }
  dialog .panel {
    box-shadow: none;
  }
  dialog button {
    align-self: start;
    min-width: 2.75em;
    margin: -0.5em;
    background: none;
  }
  @media (width < 481px) {
    .float {
      padding-inline: 0.5em;
    }
    .float span {
      position: absolute;
      clip-path: inset(50%);
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    [open] {
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
