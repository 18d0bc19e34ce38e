import { css } from './css.ts';

/** The floating button, in a physical corner whatever the writing direction, and its drawer in the same corner. */
export const floatingStyles = css`
  .floating {
    --_edge: max(1em, env(safe-area-inset-top), env(safe-area-inset-bottom), env(safe-area-inset-left));
    z-index: 2147483646;
  }
  .floating,
  dialog {
    position: fixed;
    inset: var(--_edge);
    width: fit-content;
    height: fit-content;
    margin: auto;
  }
  .top,
  .top dialog {
    margin-top: 0;
  }
  .right,
  .right dialog {
    margin-right: 0;
  }
  .bottom,
  .bottom dialog {
    margin-bottom: 0;
  }
  .left,
  .left dialog {
    margin-left: 0;
  }
  button {
    color: inherit;
    font: inherit;
    cursor: pointer;
  }
  .float {
    gap: 0.5em;
    min-height: 3em;
    padding: 0 1em 0 0.75em;
    box-shadow: var(--_shadow);
    font-weight: 600;
  }
  dialog {
    width: 24em;
    max-width: calc(100% - 2 * var(--_edge));
    max-height: calc(100% - 2 * var(--_edge));
    padding: 0;
    border: 0;
    border-radius: var(--_box);
    background: none;
    box-shadow: var(--_shadow);
    color: inherit;
    overflow: auto;
  }
  dialog::backdrop {
    background: rgb(10 12 22 / 0.45);
  }
  dialog .panel {
    box-shadow: none;
  }
  dialog button {
    display: grid;
    place-content: center;
    align-self: start;
    min-width: 2.75em;
    margin: -0.5em;
    background: none;
  }
  @media (max-width: 480px) {
    .float {
      padding-inline: 0.5em;
    }
    .float > span {
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
        transform: translateY(1em);
      }
    }
  }
  @media print {
    .floating {
      display: none;
    }
  }
`;
