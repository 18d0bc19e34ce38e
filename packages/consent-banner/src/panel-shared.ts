import { html, nothing, render } from 'lit/html.js';
import { deferredStyles } from './first-layer/complete-banner.ts';
import { isAway, isReachable, listLayers, watchReach } from './first-layer/focus.ts';
import { findTexts } from './optional-elements/load-elements.ts';
import { describeSignal, fillText, readMessages, writeMoment } from './panel/messages.ts';

/** Values that the second script passes to the scripts that it loads, in addition to `shared`. */
export const panelShared: readonly unknown[] = [
  describeSignal,
  fillText,
  findTexts,
  deferredStyles,
  html,
  isAway,
  isReachable,
  listLayers,
  nothing,
  readMessages,
  render,
  watchReach,
  writeMoment,
];
