import { css } from '../../css.ts';

/** What the vendors' layer has beyond the banner's panel. */
export const vendorsStyles = css`
  li {
    flex-wrap: wrap;
    gap: 0 1em;
    content-visibility: auto;
    contain-intrinsic-size: auto 64px;
  }
  details {
    flex: 1 1 12em;
    min-inline-size: 0;
  }
  summary {
    padding-block: 0.625em;
    font-weight: 600;
    cursor: pointer;
  }
  .switches {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1em;
  }
  .switches label {
    display: flex;
    flex: none;
    align-items: center;
    gap: 0.5em;
    padding: 0;
    font-size: 0.875em;
  }
  h3,
  h4 {
    margin-block: 0.75em 0.25em;
    font-size: 0.9375em;
    font-weight: 600;
  }
  h4 {
    color: var(--_muted);
  }
  .facts {
    margin: 0;
  }
  .facts li,
  .facts li:last-child {
    display: block;
    padding-block: 0.125em;
    border: 0;
    color: var(--_muted);
    font-size: 0.875em;
  }
  .meaning summary {
    font-size: 0.875em;
    font-weight: 400;
  }
  a {
    display: inline-block;
    padding-block: 0.25em;
    color: inherit;
  }
  .close {
    font-size: 1.5em;
    font-weight: 400;
  }
`;
