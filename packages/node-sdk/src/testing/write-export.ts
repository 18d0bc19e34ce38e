import { hashLeaf } from '../ledger/merkle.ts';
import type { Checkpoint, LedgerName } from '../types/api.ts';
import { consistencyPath, hashRange, hashSubtrees } from './merkle-paths.ts';
import { invalidValues } from './refusal.ts';
import type { Call, ChainEntry } from './world.ts';

interface Wanted {
  readonly tenantId: string;
  readonly ledger: LedgerName;
  readonly checkpoint: Checkpoint;
  readonly publicKey: string;
  /** `from`, `to` and `since`. */
  readonly query: Call['query'];
}

/** An export of a ledger: JSON Lines that prove themselves against the checkpoint, with the entries beside the range. */
export function writeExport(
  entries: readonly ChainEntry[],
  { tenantId, ledger, checkpoint, publicKey, query }: Wanted,
): string {
  const { size } = checkpoint;
  const [from, to] = [query.from ?? null, query.to ?? null] as [string | null, string | null];
  const since = query.since === undefined ? null : Number(query.since);
  if (since !== null && since > size) refuse('since', `must be at most ${size}`);
  if (from !== null && to !== null && from > to) refuse('to', 'must not be before from');
  const signed = entries.slice(0, size);
  const countBefore = (time: string) => signed.filter(({ at }) => at < time).length;
  const start = from === null ? 0 : countBefore(from);
  const end = to === null ? size : Math.max(start, countBefore(to));
  const [first, last] = [Math.max(0, start - 1), Math.min(size, end + 1)];
  const leaves = signed.map(({ hash }) => hashLeaf(Buffer.from(hash, 'hex')));
  const encode = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'));
  const growth = since === null ? [] : consistencyPath(since, size).map((range) => hashRange(leaves, range));
  const header = {
    ...{ format: 'svc-ledger-export/1', tenantId, ledger, from, to, first: first + 1, last },
    ...{ newer: entries.length - size, verifierKey: publicKey, checkpoint: checkpoint.note },
    before: encode(hashSubtrees(leaves, [0, first])),
    after: encode(hashSubtrees(leaves, [last, size])),
    consistency: since === null ? null : { from: since, hashes: encode(growth) },
  };
  const lines = signed.slice(first, last).map(writeLine);
  return [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join('');
}

function writeLine({ sequence, prevHash, hash, text }: ChainEntry): string {
  return `{"sequence":${sequence},"prevHash":${JSON.stringify(prevHash)},"hash":"${hash}","entry":${text}}`;
}

function refuse(option: string, issue: string): never {
  throw invalidValues([{ path: `query.${option}`, issue }]);
}
