import { basisIn } from './decision/region.ts';
import {
  checkedKey,
  cookieName,
  DAY,
  decisionKey,
  findDecision,
  isNext,
  regionKey,
} from './decision/stored-decision.ts';
import {
  adoptStyles,
  applyTheme,
  create,
  createButton,
  createChoices,
  createIcon,
  readDirection,
  readTheme,
} from './first-layer/elements.ts';
import { createLinks } from './first-layer/first-layer.ts';
import { sharedStyles } from './first-layer/shared.styles.ts';
import { fetchNotice, parseNotice } from './notice/notice.ts';
import { DOMAIN, readMapping } from './page/attributes.ts';
import { attempt, memory, query, readItem, removeItem, reportProblem, toJson, writeItem } from './page/browser.ts';
import { loadScript } from './page/load-script.ts';
import { readSource, recallNotice, receiptKey } from './records/consent-record.ts';

/**
 * Values that the script of the tag passes to the second one, so that the build leaves their modules out of the latter. In this
 * order the build gives them their names again.
 */
export const shared: readonly unknown[] = [
  adoptStyles,
  applyTheme,
  attempt,
  basisIn,
  checkedKey,
  cookieName,
  create,
  createButton,
  createChoices,
  createIcon,
  createLinks,
  DAY,
  DOMAIN,
  decisionKey,
  fetchNotice,
  findDecision,
  isNext,
  loadScript,
  memory,
  parseNotice,
  query,
  readDirection,
  readItem,
  readMapping,
  readSource,
  readTheme,
  recallNotice,
  receiptKey,
  regionKey,
  removeItem,
  reportProblem,
  sharedStyles,
  writeItem,
  toJson,
];
