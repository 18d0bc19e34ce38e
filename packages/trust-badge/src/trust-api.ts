import { readAddress } from './choices.ts';
import { refuseValue, reportProblem } from './report-problem.ts';
import { scriptOrigin } from './script-origin.ts';
import { parseTrust, type Trust } from './trust.ts';

const TIMEOUT = 15_000;

/** The addresses of a tenant's trust data and trust page. */
export interface TrustSource {
  readonly tenant: string;
  readonly data: string;
  readonly page: string;
}

/** Builds a tenant's addresses. The API base may be relative and have a path; query and fragment are ignored. */
export function locateTrust(tenant: string | null, apiBase: string | null): TrustSource | undefined {
  if (!tenant || !/^[a-z\d-]+$/.test(tenant)) {
    refuseValue('tenant', tenant, 'the slug of a tenant');
    return undefined;
  }
  const address = readAddress('api-base', apiBase) || scriptOrigin();
  const base = address.match(/^[^/?#]*([/]+[^/?#]+)*/)?.[0];
  if (base === 'null') {
    // The origin of a file or a sandboxed frame.
    refuseValue('api-base', apiBase, 'an http(s) address');
    return undefined;
  }
  return { tenant, data: `${base}/v1/public/trust/${tenant}/widget`, page: `${base}/trust/${tenant}` };
}

const answers: Record<string, Promise<Trust | null>> = {};

/** Fetches each address once per page; null after a failure, which is logged, and the next caller retries. */
export async function loadTrust(source: TrustSource): Promise<Trust | null> {
  const { data } = source;
  answers[data] ??= fetchTrust(source).catch((cause) => {
    delete answers[data];
    reportProblem(`no trust data from ${data} (${cause}). Is it published, and allowed by connect-src?`);
    return null;
  });
  return answers[data];
}

async function fetchTrust({ data, tenant }: TrustSource): Promise<Trust> {
  const response = await fetch(data, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${response.status}`);
  return parseTrust(await response.json(), tenant);
}
