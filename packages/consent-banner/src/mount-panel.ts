import { carryOver } from './carry-over.ts';
import { clearCookies, keepCookies } from './cookies.ts';
import { FrameCovers } from './cover-frames.ts';
import { css } from './css.ts';
import { panelStyles } from './panel.styles.ts';
import { panelView } from './panel-view.ts';
import { recallNotice } from './recall-notice.ts';
import { receiptStyles } from './receipt.styles.ts';
import { switchStyles } from './switch.styles.ts';
import { triggerStyles } from './trigger.styles.ts';
import { triggerView } from './trigger-view.ts';

const styles = css`${panelStyles}${switchStyles}${receiptStyles}${triggerStyles}`;

/** Stage three: the preferences, and features that only some pages use. */
export interface PanelParts {
  readonly styles: string;
  readonly covers: FrameCovers;
  readonly carryOver: typeof carryOver;
  readonly panelView: typeof panelView;
  readonly triggerView: typeof triggerView;
  readonly keepCookies: typeof keepCookies;
  readonly clearCookies: typeof clearCookies;
  readonly recallNotice: typeof recallNotice;
}

export function mountPanel(): PanelParts {
  return {
    styles,
    covers: new FrameCovers(),
    carryOver,
    panelView,
    triggerView,
    keepCookies,
    clearCookies,
    recallNotice,
  };
}
