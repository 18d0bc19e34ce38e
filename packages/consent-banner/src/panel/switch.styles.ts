import { css } from '../first-layer/css.ts';

/** A checkbox drawn as a switch: 44 px to hit, with a smaller track to see. */
export const switchStyles = css`
  input {
    appearance: none;
    position: relative;
    flex: none;
    inline-size: 48px;
    block-size: 44px;
    border-radius: 8px;
    cursor: pointer;
  }
  input::before,
  input::after {
    content: '';
    position: absolute;
    inset: 9px 0;
    border: 2px solid var(--_control);
    border-radius: 99px;
  }
  input::after {
    inset-block: 14px auto;
    inset-inline: 5px auto;
    inline-size: 16px;
    block-size: 16px;
    background: var(--_control);
  }
  input:checked::before {
    border-color: var(--_accent);
    background: var(--_accent);
  }
  input:checked::after {
    inset-inline-start: 27px;
    border-color: var(--_accent-text);
    background: var(--_accent-text);
  }
  input:disabled {
    opacity: 0.55;
    cursor: default;
  }
  @media (prefers-reduced-motion: no-preference) {
    input::before,
    input::after {
      transition: 0.15s;
    }
  }
  @media (forced-colors: active) {
    input {
      --_control: ButtonText;
      --_focus: Highlight;
      --_accent: Highlight;
      --_accent-text: HighlightText;
      forced-color-adjust: none;
    }
    input:disabled {
      --_accent: GrayText;
      --_accent-text: Canvas;
      opacity: 1;
    }
  }
`;
