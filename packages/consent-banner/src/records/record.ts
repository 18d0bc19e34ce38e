// The entry `@svc/consent-banner/record`: a consent ledger for any banner.

import { decisionKey } from '../decision/stored-decision.ts';
import type { Purposes } from '../notice/notice.ts';
import { writeAddress } from '../page/attributes.ts';
import { readItem, reportProblem, writeItem } from '../page/browser.ts';
import type { ConsentMethod, ConsentRecord } from './consent-record.ts';
import { createRandomId, listNotices, queueRecord } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';

/** Decision of a visitor in a banner, and where it is recorded. */
export interface Decision {
  /** Of the published notice whose purposes the banner shows. */
  readonly noticeId: string;
  /** The address of the server: `https://consent.example.com`. */
  readonly apiBase: string;
  /** True if the visitor granted the purpose, for every purpose of the notice by its key. */
  readonly purposes: Purposes;
  /** How the visitor was asked. Default: `banner`. */
  readonly method?: ConsentMethod | undefined;
  /** A pseudonymous id of the visitor. Default: a random one, made at the first decision and kept in this browser. */
  readonly subjectId?: string | undefined;
  /** When it was decided, ISO 8601. Default: now. */
  readonly capturedAt?: string | undefined;
  /** The version of the notice that was shown. Default: the one that is published when the record arrives. */
  readonly noticeVersion?: number | undefined;
  /** The language of the banner, BCP 47. */
  readonly language?: string | undefined;
  /** The SHA-256 of the public notice, in hex, if the banner showed its texts. */
  readonly shownHash?: string | undefined;
  /** The region whose rules the banner followed, ISO 3166. */
  readonly region?: string | undefined;
}

const senders = new Map<string, RecordSender>();

/**
 * Records a decision in the ledger of a server. It is in `localStorage` before this returns, and is sent until the server has
 * stored or refused it, by later pages if this one is left. The server recognizes what it gets twice.
 * @returns the id of the visitor in the record.
 * @throws Error on a server: only a browser has one visitor.
 */
export function record({ noticeId, apiBase, method = 'banner', subjectId, capturedAt, ...shown }: Decision): string {
  if (!hasPage()) throw new Error('record() runs in a browser. On a server, use @svc/node-sdk.');
  const address = writeAddress(noticeId, apiBase, '');
  const given = {
    ...shown,
    subjectId: subjectId || recallSubject(noticeId),
    method,
    capturedAt: capturedAt ?? new Date().toISOString(),
  };
  // The server fills in what is left out.
  if (/^https?:/.test(address)) queueRecord({ noticeId, address }, given as ConsentRecord);
  else reportProblem(`apiBase "${apiBase}" is not a valid address: the decision is not recorded.`);
  void findSender(noticeId).flush();
  return given.subjectId;
}

function recallSubject(noticeId: string): string {
  const key = `${decisionKey(noticeId)}:subject`;
  const subjectId = readItem(key) || createRandomId();
  writeItem(key, subjectId);
  return subjectId;
}

function findSender(noticeId: string): RecordSender {
  const found = senders.get(noticeId);
  if (found) return found;
  const { signal } = new AbortController();
  const sender = new RecordSender({ noticeId, address: '', signal, complete: (queued) => queued, onKept: () => {} });
  senders.set(noticeId, sender);
  addEventListener('online', () => sender.flush());
  addEventListener('pagehide', () => sender.leave());
  return sender;
}

function hasPage(): boolean {
  return typeof document === 'object';
}

// Records that earlier pages could not send.
if (hasPage()) for (const noticeId of listNotices()) void findSender(noticeId).flush();
