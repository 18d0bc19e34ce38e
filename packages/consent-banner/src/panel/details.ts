import { css } from '../first-layer/css.ts';
import { receiptView } from './receipt-view.ts';
import { trackerTable, trackerTableStyles } from './tracker-table.ts';

const receiptStyles = css`
  dt {
    color: var(--_muted);
    font-size: 0.875em;
  }
  dd + dt {
    margin-block-start: 0.5em;
  }
`;

/** What the panel shows when the visitor unfolds it. */
export const details = { receiptView, trackerTable, styles: css`${receiptStyles}${trackerTableStyles}` };
