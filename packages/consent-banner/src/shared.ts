import { html, nothing, render } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { choicesView } from './choices-view.ts';
import { fillText, listNames, writeMoment } from './fill-words.ts';
import { parseNotice } from './notice.ts';
import { reportProblem } from './report-problem.ts';
import { readItem } from './safe-storage.ts';
import { sharedStyles } from './shared.styles.ts';

/** The modules that stage two passes to stage three, so that the build leaves them out of the latter. */
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
