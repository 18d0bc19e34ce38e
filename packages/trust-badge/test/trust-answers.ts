import type { TrustBadgeOptions } from '../src/index.ts';

/** Trust data as the API gives it. */
export interface TrustData {
  readonly name: string;
  readonly slug: string;
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
}

/** What stands in for the network: how it answers, and what it was asked. */
export interface Network {
  answer: () => Response | Promise<Response>;
  readonly requests: { readonly url: string; readonly init: RequestInit }[];
}

const pageFetch = window.fetch;
const pageConsoleError = console.error;
let count = 0;

/** A tenant of its own for each test: a page asks only once for each. */
export function createTenant(): string {
  return `acme-${++count}`;
}

export function createTrust(slug: string, changes: Partial<TrustData> = {}): TrustData {
  const achievedFrameworks = ['ISO/IEC 27001:2022', 'SOC 2 Type II', 'GDPR'];
  return { name: 'Acme Health', slug, achievedFrameworks, updatedAt: '2024-03-05T12:00:00.000Z', ...changes };
}

/** Takes the network's place until `restorePage()`. */
export function replaceNetwork(trust: TrustData): Network {
  const network: Network = { answer: () => Response.json({ data: trust }), requests: [] };
  window.fetch = async (input, init = {}) => {
    network.requests.push({ url: String(input), init });
    return network.answer();
  };
  return network;
}

/** Collects what the console is told about errors. */
export function listenToConsole(): readonly string[] {
  const told: string[] = [];
  console.error = (...parts: unknown[]) => told.push(parts.join(' '));
  return told;
}

export function restorePage(): void {
  window.fetch = pageFetch;
  console.error = pageConsoleError;
  document.documentElement.lang = 'en';
  for (const badge of document.querySelectorAll('svc-trust-badge')) badge.remove();
}

export type BadgeOptions = Partial<Omit<TrustBadgeOptions, 'tenant'>>;
