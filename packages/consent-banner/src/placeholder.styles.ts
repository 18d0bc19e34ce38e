import { css } from './css.ts';

/** A placeholder over blocked content: the same size, in the banner's colours. */
export const placeholderStyles = css`
  :host {
    position: absolute;
    --_bg: var(--svc-c-bg, light-dark(#f5f7fb, #161a23));
  }
  /* Not a grid: in one that is too low for its rows, a button of two lines would get the height of one. */
  .layer {
    align-content: safe center;
    inline-size: 100%;
    block-size: 100%;
    padding: 0.5em 0.75em;
    border-color: var(--_control);
    border-radius: 0;
    box-shadow: none;
    text-align: center;
    overflow: auto;
  }
  p {
    max-inline-size: 36em;
    margin: 0 auto 0.5em;
    color: inherit;
  }
  #name {
    font-weight: 600;
  }
  button {
    padding: 0.5em 1em;
    border-color: var(--_control);
  }
  button:hover {
    background: var(--_hover);
  }
`;
