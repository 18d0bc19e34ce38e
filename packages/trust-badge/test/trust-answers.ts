import { chooseBadgeWords } from '../../../server/site/trust/badge-words.ts';
import type { BadgeWords } from '../../../server/site/trust/trust-center.ts';
import type { TrustBadgeOptions } from '../src/index.ts';

/** Trust data as the API returns it. */
export interface TrustData {
  readonly name: string;
  readonly slug: string;
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
  readonly words?: BadgeWords;
}

/** The fake network: its responses, and the requests it received. */
export interface Network {
  answer: () => Response | Promise<Response>;
  readonly requests: { readonly url: string; readonly init: RequestInit }[];
}

const pageFetch = window.fetch;
const pageConsoleError = console.error;
let count = 0;

/** A separate tenant for each test, because a page requests each only once. */
export function createTenant(): string {
  return `acme-${++count}`;
}

export function createTrust(slug: string, changes: Partial<TrustData> = {}): TrustData {
  const achievedFrameworks = ['ISO/IEC 27001:2022', 'SOC 2 Type II', 'GDPR'];
  return { name: 'Acme Health', slug, achievedFrameworks, updatedAt: '2024-03-05T12:00:00.000Z', ...changes };
}

/** Replaces the network until `restorePage()`. It has the words of each language, as the server does. */
export function replaceNetwork(trust: TrustData): Network {
  const answer = () => {
    const language = new URL(network.requests.at(-1)?.url ?? '').searchParams.get('language');
    return Response.json({ data: { ...trust, ...(language && { words: chooseBadgeWords(language) }) } });
  };
  const network: Network = { answer, requests: [] };
  window.fetch = async (input, init = {}) => {
    network.requests.push({ url: String(input), init });
    return network.answer();
  };
  return network;
}

/** Collects the errors that are logged in the console. */
export function listenToConsole(): readonly string[] {
  const logged: string[] = [];
  console.error = (...parts: unknown[]) => logged.push(parts.join(' '));
  return logged;
}

export function restorePage(): void {
  window.fetch = pageFetch;
  console.error = pageConsoleError;
  document.documentElement.lang = 'en';
  for (const badge of document.querySelectorAll('svc-trust-badge')) badge.remove();
}

export type BadgeOptions = Partial<Omit<TrustBadgeOptions, 'tenant'>>;
