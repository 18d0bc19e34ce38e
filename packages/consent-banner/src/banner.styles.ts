import { css } from './css.ts';

/** The first layer: a card at the bottom, at the start side, as wide as the window on a phone; and the site's own links. */
export const bannerStyles = css`
  :host {
    display: contents !important; /* A rule of the page, or of a blocker, would leave the open panel invisible. */
  }
  .banner {
    position: fixed;
    z-index: 2147483647;
    inset: auto;
    inset-inline: var(--_gap);
    inset-block-end: max(var(--_gap), env(safe-area-inset-bottom));
    inline-size: auto;
    max-inline-size: var(--svc-c-width, 27em);
    block-size: auto;
    max-block-size: calc(100dvh - 2 * var(--_gap));
    margin-inline-end: auto;
    padding: 1.375em 1.5em 1em;
    overflow: auto;
  }
  .banner p {
    margin-block: 0.5em 1.125em;
  }
  /* In sight in the lowest window, where the text scrolls behind them; the shadow covers the padding below. */
  .banner .choices {
    position: sticky;
    inset-block-end: 0;
    background: var(--_bg);
    box-shadow: 0 0.5em 0 0.5em var(--_bg);
  }
  .quiet {
    display: block;
    position: relative;
    inline-size: 100%;
    margin-block-start: 0.625em;
  }
  slot {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    column-gap: 1.25em;
    color: var(--_muted);
    font-size: 0.875em;
  }
  /* The page's colours for links are for the page's background, and its rule for what is hidden is for the page. */
  ::slotted(*) {
    display: block !important;
    padding-block: 12px;
    color: inherit !important;
  }
  ::slotted(a) {
    text-decoration: underline !important;
  }
  @media (max-width: 480px), (max-height: 480px) {
    .banner {
      --_gap: var(--svc-c-gap, 8px);
      max-block-size: min(75dvh, 100dvh - 2 * var(--_gap));
      padding: 1.125em 1.125em 0.75em;
    }
  }
`;
