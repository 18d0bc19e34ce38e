import { css } from './css.ts';

/** Card, full and the content of the drawer. A card reserves space for a two-line name and two rows of chips. */
export const panelStyles = css`
  .card {
    width: 22em;
  }
  .card:has(.shelf) {
    min-height: calc(18.5em + 2px);
  }
  .panel {
    flex-wrap: wrap;
    gap: 1em;
    padding: 1.25em 1.25em 0;
    overflow: hidden;
  }
  .panel .mark {
    width: 3.25em;
  }
  .panel .name {
    font-size: 1.125em;
    overflow-wrap: anywhere;
  }
  .card .name {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .card .text {
    min-height: 4.625em;
  }
  .shelf,
  .foot {
    flex: 1 0 100%;
  }
  ul {
    flex-wrap: wrap;
    margin: 0;
    padding: 0;
  }
  li {
    max-width: 100%;
    min-height: 2.375em;
    padding: 0 0.75em;
    background: var(--_bg-2);
    font-weight: 500;
  }
  .shelf {
    min-height: 2em;
  }
  .card .shelf {
    display: grid;
    align-items: center;
    min-height: 4.375em;
  }
  .card ul {
    display: grid;
    grid-template-columns: auto auto;
    justify-content: start;
    justify-items: start;
  }
  .cta,
  dialog button {
    justify-content: center;
    min-height: 2.75em;
    border: 1px solid transparent;
  }
  .cta,
  dialog button,
  li {
    border-radius: calc(var(--_radius) * 0.625);
  }
  .cta {
    flex: 1 auto;
    padding: 0.25em 1.25em;
    background: var(--_accent);
    color: var(--_on);
    font-weight: 600;
  }
  @media (width > 600px) {
    .full .cta {
      flex-grow: 0;
    }
    .full .shelf {
      order: 1;
    }
  }
  .foot {
    order: 2;
    flex-wrap: wrap;
    justify-content: end;
    min-height: 2.5em;
    margin-inline: -1.25em;
    padding: 0.25em 1.25em;
    border-block-start: 1px solid var(--_border);
    background: var(--_bg-2);
  }
  .foot .live {
    margin-inline-end: auto;
  }
`;
