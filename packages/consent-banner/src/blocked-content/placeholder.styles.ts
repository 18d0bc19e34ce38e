import { css } from '../first-layer/css.ts';

/** A placeholder over blocked content: the same size and corners. What has no room goes: the icon, then the text. */
export const placeholderStyles = css`
  :host {
    inset: 0 auto auto 0;
    overflow: hidden;
  }
  /* Not a grid: in one that is too low for its rows, a button of two lines would get the height of one. */
  .box {
    align-content: safe center;
    inline-size: 100%;
    block-size: 100%;
    padding: 0.5em 0.75em;
    border: 1px solid var(--_control);
    border-radius: inherit;
    background: var(--_bg);
    color: var(--_text);
    font: medium / 1.4 var(--svc-c-font, system-ui, sans-serif);
    text-align: center;
    overflow: auto;
    overflow-wrap: anywhere;
  }
  #root {
    display: block;
    container-type: size;
    --_bg: var(--svc-c-bg, light-dark(#f5f7fb, #161a23));
  }
  svg {
    display: block;
    inline-size: 1.75em;
    margin: 0 auto 0.375em;
    fill: none;
    stroke: var(--_muted);
    stroke-width: 1.75;
    stroke-linecap: round;
  }
  p {
    max-inline-size: 32em;
    margin: 0 auto 0.5em;
    color: inherit;
    font-size: 0.875em;
  }
  #name {
    font-weight: 600;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.5em;
  }
  button {
    padding: 0.375em 0.875em;
    border-color: var(--_control);
    font-size: 0.875em;
  }
  button:hover {
    background: var(--_hover);
  }
  @container (max-width: 199px) or (max-height: 199px) {
    svg {
      inline-size: 1.25em;
      margin-block-end: 0.125em;
    }
    p {
      margin-block-end: 0.375em;
      font-size: 0.8125em;
      line-height: 1.25;
    }
    button {
      padding-inline: 0.625em;
      font-size: 0.8125em;
    }
  }
  /* Only the buttons, and the whole text for screen readers. */
  @container (max-height: 127px) or ((max-width: 199px) and (max-height: 199px)) {
    .box {
      padding: 2px 4px;
    }
    svg {
      display: none;
    }
    p {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      margin: 0;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .actions {
      gap: 2px;
    }
    button {
      flex: 1 1 100%;
      min-block-size: 40px;
      padding: 0 0.25em;
    }
  }
  @container (min-width: 200px) and (max-height: 127px) {
    button {
      flex: 0 1 auto;
      padding-inline: 0.75em;
    }
  }
  /* One button that is the whole box, with the icon for its text: the preferences, or the second try. */
  @container (max-width: 119px) or (max-height: 83px) {
    .box {
      padding: 0;
      overflow: hidden;
    }
    svg {
      display: block;
      position: absolute;
      inset: 0;
      margin: auto;
      pointer-events: none;
    }
    .actions {
      block-size: 100%;
    }
    button {
      border: none;
      block-size: 100%;
      font-size: 0;
    }
    [data-action='show-once'] {
      display: none;
    }
  }
`;
