import { css } from '../first-layer/css.ts';

/** The table of trackers; its rows are blocks where it is narrow. */
export const trackerTableStyles = css`
  .table {
    container-type: inline-size;
    font-size: 0.875em;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    text-align: start;
  }
  th,
  td {
    padding-block: 0.5em;
    padding-inline: 0 1em;
    border-block-end: 1px solid var(--_border);
    text-align: start;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  tbody tr:last-child > * {
    border-block-end: none;
  }
  thead th {
    color: var(--_muted);
    font-weight: 600;
  }
  tbody th {
    inline-size: 38%;
    font-weight: 500;
  }
  code {
    font-family: ui-monospace, monospace;
    font-size: 0.9375em;
    overflow-wrap: anywhere;
  }
  small {
    display: block;
    color: var(--_muted);
    font-size: 0.9375em;
  }
  @container (max-width: 26em) {
    thead {
      display: none; /* Each cell has its own head. */
    }
    tr {
      display: block;
      padding-block: 0.5em;
      border-block-end: 1px solid var(--_border);
    }
    tbody tr:last-child {
      border-block-end: none;
    }
    tbody :is(th, td) {
      display: block;
      inline-size: auto;
      padding-block: 0.125em;
      border: none;
    }
    td::before {
      content: attr(data-head) ': ';
      color: var(--_muted);
    }
    small {
      display: inline;
    }
  }
`;
