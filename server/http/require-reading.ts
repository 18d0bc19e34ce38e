import type { Context } from 'koa';
import { Problem } from './problem.ts';

/**
 * What is only read takes GET and HEAD.
 * @throws {Problem} `method_not_allowed`.
 */
export function requireReading({ method }: Pick<Context, 'method'>): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('method_not_allowed', 'This path takes GET, HEAD.', { headers: { Allow: 'GET, HEAD' } });
}
