import type { Context, Middleware } from 'koa';
import { corsHeaders } from '../http/answer.ts';
import { requireGetOrHead } from '../http/problem.ts';
import type { Installation } from '../installation/installation.ts';
import { listRotationNotes } from '../ledger/rotation-store.ts';
import { installationLog } from '../ledger/tree-store.ts';

/** The path of the key that verifies checkpoints. */
export const publicKeyPath = '/.well-known/svc-ledger-key';

/** The path of the notes that lead from an older key to that one. */
const rotationsPath = `${publicKeyPath}-rotations`;

/**
 * Serves the public verifier key of the checkpoints (C2SP signed-note), one line of text, and its rotations, notes about the
 * log of the installation, each followed by an empty line. Neither needs authentication.
 */
export function servePublicKey({ signer, database }: Pick<Installation, 'signer' | 'database'>): Middleware {
  const serve = async (ctx: Context): Promise<void> => {
    requireGetOrHead(ctx);
    const text =
      ctx.path === publicKeyPath
        ? `${signer.verifierKey}\n`
        : (await listRotationNotes(database.kysely, installationLog)).map((note) => `${note}\n`).join('');
    ctx.set(corsHeaders);
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = text;
  };
  return (ctx, next) => (ctx.path === publicKeyPath || ctx.path === rotationsPath ? serve(ctx) : next());
}
