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
import { adoptStyles } from './first-layer/adopt-styles.ts';
import { createButton, createChoices } from './first-layer/choices.ts';
import { create, createIcon } from './first-layer/create.ts';
import { createLinks } from './first-layer/create-banner.ts';
import { readDirection } from './first-layer/read-direction.ts';
import { sharedStyles } from './first-layer/shared.styles.ts';
import { applyTheme, readTheme } from './first-layer/theme.ts';
import { readSource, receiptKey } from './records/receipt-store.ts';
import { attempt, query } from './state/attempt.ts';
import { DOMAIN } from './state/attribute-values.ts';
import { fetchNotice } from './state/load-notice.ts';
import { loadScript } from './state/load-script.ts';
import { readMapping } from './state/mapping.ts';
import { parseNotice } from './state/notice.ts';
import { reportProblem } from './state/report-problem.ts';
import { memory, readItem, removeItem, toJson, writeItem } from './state/safe-storage.ts';

/**
 * What the script of the tag passes to the second one, so that the build leaves these modules out of the latter. In this order
 * the build gives them their names again.
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
  receiptKey,
  regionKey,
  removeItem,
  reportProblem,
  sharedStyles,
  writeItem,
  toJson,
];
