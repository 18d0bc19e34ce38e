import { html, nothing, render } from 'lit/html.js';
import { fillText } from './first-layer/fill-text.ts';
import { furtherStyles } from './first-layer/further.styles.ts';
import { isAway, isReachable, listLayers, watchReach } from './first-layer/reach.ts';
import { writeMoment } from './first-layer/write-moment.ts';
import { describeSignal } from './panel/describe-signal.ts';
import { readWords } from './panel/words.ts';
import { findTexts } from './parts.ts';

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
