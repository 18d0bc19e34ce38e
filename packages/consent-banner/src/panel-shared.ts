import { html, nothing, render } from 'lit/html.js';
import { furtherStyles } from './first-layer/complete-banner.ts';
import { isAway, isReachable, listLayers, watchReach } from './first-layer/reach.ts';
import { describeSignal, fillText, readWords, writeMoment } from './panel/messages.ts';
import { findTexts } from './panel/panel-script.ts';

/** What the second script passes to the parts that it loads, in addition to `shared`. */
export const panelShared: readonly unknown[] = [
  describeSignal,
  fillText,
  findTexts,
  furtherStyles,
  html,
  isAway,
  isReachable,
  listLayers,
  nothing,
  readWords,
  render,
  watchReach,
  writeMoment,
];
