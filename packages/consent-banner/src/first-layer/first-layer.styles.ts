import { css } from './css.ts';

/** The first layer in its layouts and positions, as a sheet at the edge of a phone, and the floating button. */
export const firstLayerStyles = css`
  :host {
    display: contents !important; /* A rule of the page, or of a blocker, would leave the open panel invisible. */
  }
  .banner {
    position: fixed;
    z-index: 2147483647;
    inset: auto var(--_gap) max(var(--_gap), env(safe-area-inset-bottom));
    inline-size: auto;
    max-inline-size: var(--svc-c-width, 27em);
    block-size: auto;
    max-block-size: calc(100dvh - 2 * var(--_gap));
    margin-inline: auto 0;
    padding: 1.25em 1.5em 0;
    overflow: auto;
  }
  .banner p {
    margin-block-start: 0.5em;
  }
  .clamped {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 6;
    overflow: hidden;
  }
  .expand {
    padding-inline: 0;
    text-align: start;
  }
  /* In sight in the lowest window, where the text scrolls behind them. */
  .actions {
    position: sticky;
    inset-block-end: 0;
    padding-block: 1em;
    background: var(--_bg);
  }
  .actions .quiet {
    inline-size: 100%;
    margin-block-start: 0.25em;
  }
  [data-position='bottom-start'] {
    margin-inline: 0 auto;
  }
  [data-position='bottom'] {
    margin-inline: auto;
  }
  [data-layout='center'] {
    inset: var(--_gap);
    block-size: fit-content;
    margin: auto;
  }
  [data-layout='bar'] {
    inset: auto 0 0;
    max-inline-size: none;
    border-radius: 0;
    padding-inline: max(1.5em, 50vw - 36em);
  }
  [data-layout='bar'][data-position='top'] {
    inset: 0 0 auto;
  }
  @media (min-width: 800px) {
    [data-layout='bar']:popover-open {
      display: grid;
      grid-template-columns: 1fr 24em;
      column-gap: 2.5em;
      align-items: center;
    }
  }
  @media (max-width: 480px), (max-height: 480px) {
    .banner {
      max-block-size: max(75dvh, min(15em, 100dvh));
      padding: 1em 1.125em 0;
    }
    .actions {
      padding-block: 0.75em;
    }
    .clamped {
      -webkit-line-clamp: 4;
    }
  }
  @media (max-width: 480px) {
    .banner:not([data-position='top']) {
      inset: auto 0 0;
      max-inline-size: none;
      margin: 0;
      border-end-start-radius: 0;
      border-end-end-radius: 0;
    }
  }
  .trigger {
    position: fixed;
    z-index: 2147483646;
    inset: auto auto max(var(--_gap), env(safe-area-inset-bottom)) var(--_gap);
    inline-size: 48px;
    block-size: 48px;
    padding: 11px;
    border-color: var(--_muted);
    border-radius: 50%;
  }
  [data-place='bottom-right'] {
    left: auto;
    right: var(--_gap);
  }
  .trigger svg {
    display: block;
  }
  .trigger path:only-child {
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
  }
`;
