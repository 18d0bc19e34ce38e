import { css } from './css.ts';

/** A box over what is held back: of its size, in the colours of the banner. */
export const placeholderStyles = css`
  :host {
    position: absolute;
    --_bg: var(--svc-c-bg, light-dark(#f5f7fb, #161a23));
  }
  .layer {
    display: grid;
    align-content: safe center;
    justify-items: center;
    gap: 0.75em;
    inline-size: 100%;
    block-size: 100%;
    padding: 0.75em;
    border-color: var(--_control);
    border-radius: 0;
    box-shadow: none;
    overflow: auto;
    text-align: center;
  }
  p {
    max-inline-size: 36em;
    color: inherit;
  }
  #name {
    font-weight: 600;
  }
  button {
    max-inline-size: 100%;
    padding: 0.5em 1em;
    border-color: var(--_control);
  }
  button:hover {
    background: var(--_hover);
  }
`;
