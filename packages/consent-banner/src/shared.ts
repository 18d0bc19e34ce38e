import { html, nothing, render } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { choicesView } from './choices-view.ts';
import { fillText, listNames, writeMoment } from './fill-words.ts';
import { parseNotice } from './notice.ts';
import { reportProblem } from './report-problem.ts';
import { readItem } from './safe-storage.ts';
import { sharedStyles } from './shared.styles.ts';

/** What stage two hands to stage three. The build leaves these modules out of the latter, so that nobody loads them twice. */
export const shared = {
  html,
  nothing,
  render,
  adoptStyles,
  choicesView,
  fillText,
  listNames,
  writeMoment,
  parseNotice,
  reportProblem,
  readItem,
  sharedStyles,
};
