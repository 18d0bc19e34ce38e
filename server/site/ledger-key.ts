import type { Context, Middleware } from 'koa';
import { corsHeaders } from '../http/answer.ts';
import { requireGetOrHead } from '../http/problem.ts';
import type { Installation } from '../installation/installation.ts';

/** The path of the key that verifies checkpoints. */
export const publicKeyPath = '/.well-known/svc-ledger-key';

/** Serves the public verifier key of the checkpoints (C2SP signed-note), one line of text, without authentication. */
export function servePublicKey({ verifierKey }: Pick<Installation['signer'], 'verifierKey'>): Middleware {
  const serve = (ctx: Context): void => {
    requireGetOrHead(ctx);
    ctx.set(corsHeaders);
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = `${verifierKey}\n`;
  };
  return (ctx, next) => (ctx.path === publicKeyPath ? serve(ctx) : next());
}
