import words from '../../../server/consent/messages/en.json' with { type: 'json' };
import type { Notice, Purpose } from '../src/notice/notice.ts';

/** A request that the page sent. */
export interface SeenRequest {
  readonly url: string;
  readonly init: RequestInit;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent, for assertions.
  readonly body: any;
}

type Answer = () => Response | Promise<Response>;

/** A substitute for the network: the response to each of the two requests, and the requests received. */
export interface Network {
  answerNotice: Answer;
  answerRecord: Answer;
  readonly notices: SeenRequest[];
  readonly records: SeenRequest[];
}

const pageFetch = window.fetch;
const pageSetTimeout = window.setTimeout;
const pageConsoleError = console.error;

export function createNotice(id: string, changes: Partial<Notice> = {}): Notice {
  const purposes: readonly Purpose[] = [
    { key: 'necessary', label: 'Necessary', description: 'Keeps the site running.', required: true },
    { key: 'statistics', label: 'Statistics', description: 'Counts visits.', required: false },
    { key: 'marketing', label: 'Marketing', description: 'Shows fitting offers.', required: false },
  ];
  return {
    id,
    name: 'Site',
    controllerName: 'Acme',
    language: 'en',
    domain: 'localhost',
    version: 7,
    purposes,
    asksSince: changes.version ?? 7,
    languages: [],
    texts: fillTexts(changes.controllerName ?? 'Acme'),
    ...changes,
  };
}

function fillTexts(controller: string): Readonly<Record<string, string>> {
  const fill = (text: string): string =>
    text.replace('{controller}', controller).replace('{purposes}', 'Statistics and Marketing');
  return { ...words, intro: fill(words.intro), panelIntro: fill(words.panelIntro) };
}

export function json(body: unknown, init?: ResponseInit): Response {
  return Response.json(body, init);
}

/** Replaces the network until `restorePage()`. */
export function replaceNetwork(notice: Notice): Network {
  const network: Network = {
    answerNotice: () => json({ data: notice }),
    answerRecord: () => json({ data: {} }, { status: 201 }),
    notices: [],
    records: [],
  };
  window.fetch = async (input, init = {}) => {
    const url = String(input);
    if (!url.includes(`/v1/public/consent/${encodeURIComponent(notice.id)}`)) {
      // Records that an earlier test has left are rejected, or they would stay in the queue.
      return url.endsWith('/records') ? Promise.reject(new TypeError('Failed to fetch')) : new Promise(() => {});
    }
    const seen = { url, init, body: init.body ? JSON.parse(String(init.body)) : undefined };
    const isRecord = url.endsWith('/records');
    (isRecord ? network.records : network.notices).push(seen);
    return isRecord ? network.answerRecord() : network.answerNotice();
  };
  return network;
}

export interface HeldTimer {
  readonly wait: number;
  readonly run: () => void;
}

/** Holds the timers that a retry sets (all long ones), so that a test runs them when it wants. */
export function holdTimers(): readonly HeldTimer[] {
  const held: HeldTimer[] = [];
  window.setTimeout = ((run: () => void, wait = 0, ...rest: unknown[]) => {
    if (wait <= 2000) return pageSetTimeout(run, wait, ...rest);
    held.push({ wait, run });
    return 0;
  }) as typeof setTimeout;
  return held;
}

/** Collects the logged errors. */
export function listenToConsole(): readonly string[] {
  const errors: string[] = [];
  console.error = (...parts: unknown[]) => errors.push(parts.join(' '));
  return errors;
}

export function restorePage(): void {
  window.fetch = pageFetch;
  window.setTimeout = pageSetTimeout;
  console.error = pageConsoleError;
}
