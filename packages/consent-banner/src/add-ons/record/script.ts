// The entry of the add-on's own script tag: SvcRecord.record({ noticeId, purposes }), to the server that the script comes from.

import { currentScript } from '../../page/document.ts';
import { type Decision, record } from '../../records/record.ts';

const apiBase = new URL(currentScript()?.src || '/', location.href).origin;

Object.assign(window, {
  SvcRecord: { record: (decision: Omit<Decision, 'apiBase'> & Partial<Decision>) => record({ apiBase, ...decision }) },
});
