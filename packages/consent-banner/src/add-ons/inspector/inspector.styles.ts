import { css } from '../../first-layer/css.ts';

/** Follows the system's colors and contrast; nothing of the page comes in. */
export const inspectorStyles = css`
  :host {
    all: initial;
    color-scheme: light dark;
    --_bg: light-dark(#fff, #161a23);
    --_text: light-dark(#101322, #eef1f7);
    --_muted: light-dark(#566076, #a9b2c3);
    --_line: light-dark(#cfd5e1, #3a4252);
    --_alert: light-dark(#a3160f, #ff9d94);
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
    margin: 0;
  }
  .panel {
    position: fixed;
    inset: 0 0 auto; /* The banner asks at the lower edge, and must be within reach. */
    inline-size: auto;
    max-inline-size: none;
    block-size: max(50dvh, min(100dvh, 18rem));
    resize: vertical;
    padding: 0.75rem 1rem;
    flex-direction: column;
    gap: 0.5rem;
    border: 0 solid var(--_line);
    border-block-end-width: 2px;
    background: var(--_bg);
    color: var(--_text);
    font: 0.875rem/1.45 system-ui, sans-serif;
    overflow: auto;
  }
  .panel:popover-open {
    display: flex;
  }
  header,
  label,
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }
  .warnings {
    padding-inline-start: 1.25rem;
    color: var(--_alert);
  }
  .warnings:empty {
    display: none;
  }
  h2 {
    flex: 1;
    font-size: 1.125rem;
  }
  button,
  label {
    min-block-size: 2rem;
    padding: 0.25rem 0.625rem;
    font: inherit;
    color: inherit;
  }
  button {
    border: 1px solid var(--_muted);
    border-radius: 6px;
    background: none;
    cursor: pointer;
  }
  button:hover {
    background: var(--_line);
  }
  :focus-visible {
    outline: 2px solid light-dark(#2f6fde, #8ab4ff);
    outline-offset: 1px;
  }
  .scroll {
    flex: 1 0 9rem;
    overflow: auto;
    border: 1px solid var(--_line);
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    padding: 0.375rem 0.5rem;
    border-block-end: 1px solid var(--_line);
    text-align: start;
    min-inline-size: 8rem;
    vertical-align: top;
    font-weight: 400;
  }
  thead th {
    position: sticky;
    inset-block-start: 0;
    background: var(--_bg);
    font-weight: 600;
  }
  code,
  textarea {
    font: 0.8125rem/1.4 ui-monospace, monospace;
    overflow-wrap: anywhere;
  }
  small,
  .note {
    display: block;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .alert {
    color: var(--_alert);
    font-weight: 600;
  }
  .change button {
    min-block-size: 1.5rem;
    padding-block: 0;
    margin-inline-start: 0.375rem;
  }
  textarea {
    flex: 1 0 6rem;
    inline-size: 100%;
  }
  [hidden] {
    display: none;
  }
`;
