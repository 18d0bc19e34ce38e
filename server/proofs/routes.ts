import { Readable } from 'node:stream';
import { z } from 'zod';
import { findShownText } from '../consent/notice-store.ts';
import { ReadyAnswer } from '../http/answer.ts';
import { linkQuery, requireLinkOwner } from '../http/authorize.ts';
import { invalidValues, notFound, Problem, requireFound } from '../http/problem.ts';
import type { Scope } from '../http/roles.ts';
import { defineRoute, listRoute, type Route } from '../http/route.ts';
import { AnyJson, cursorPageOf, namedObject, Time, text, UtcTime } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { recordEvent } from '../ledger/audit/store.ts';
import {
  findCheckpoint,
  listCheckpoints,
  RewrittenLedger,
  type StoredCheckpoint,
  signCheckpoint,
} from '../ledger/checkpoint-store.ts';
import type { LedgerName, LedgerOf } from '../ledger/entry.ts';
import { encodeAll, ImpossibleRange, prepareExport } from '../ledger/export.ts';
import { consistencyPath, inclusionPath, leafOf, type Range } from '../ledger/merkle.ts';
import { listRotationNotes } from '../ledger/rotation-store.ts';
import { IncompleteTiles } from '../ledger/tiles.ts';
import { findEntry, hashRanges, readState } from '../ledger/tree-store.ts';
import type { Queries } from '../storage/queries.ts';

const Base64Hash = z.string().meta({ description: 'SHA-256, base64.' });
const Count = z.int().min(0);

const CheckpointView = namedObject('Checkpoint', {
  ledger: z.enum(['audit', 'consent']).meta({ id: 'LedgerName' }),
  size: Count.meta({ description: 'The number of entries that it covers: those numbered 1 to this.' }),
  rootHash: Base64Hash.meta({ description: 'Root of the Merkle tree (RFC 6962) over these entries, base64.' }),
  at: UtcTime,
  note: z.string().meta({
    description:
      'The checkpoint with its signature (C2SP tlog-checkpoint, signed-note). Keep it: anyone who has it and the public key can later check whether these entries were changed.',
  }),
});

/** A value that an entry has a commitment to. */
const Opening = z
  .strictObject({
    path: z.string().meta({ description: 'Where the commitment is in the entry.' }),
    salt: z.string().meta({ description: '16 random bytes, base64url.' }),
    value: z.string(),
  })
  .meta({
    id: 'LedgerOpening',
    description: 'The commitment is SHA-256, hex, over the salt, the path, a zero byte and the value.',
  });

const Rotations = z.array(z.string()).meta({
  description:
    'The rotations of the signing key (C2SP signed-note), of this ledger and of the log of the installation, oldest first: they lead from the key that you kept to the newer ones. Empty if there was none.',
});

const InclusionProof = namedObject('InclusionProof', {
  sequence: z.int().min(1).meta({ description: 'The number of the entry; its leaf index is this number minus one.' }),
  hash: z.string().meta({ description: 'The chain hash of the entry, hex. Its 32 bytes are the data of the leaf.' }),
  leafHash: Base64Hash,
  prevHash: z.string().nullable().meta({ description: 'The chain hash of the entry before it; null for the first.' }),
  entry: z.record(z.string(), AnyJson).meta({
    description: 'What was hashed after `prevHash`, in its canonical form (RFC 8785).',
  }),
  openings: z.array(Opening).meta({
    description: 'The values that the entry has commitments to; none once they are erased.',
  }),
  hashes: z.array(Base64Hash).meta({ description: 'The audit path from the leaf upwards (RFC 9162 section 2.1.3).' }),
  checkpoint: CheckpointView,
  rotations: Rotations,
  shown: z.string().nullable().meta({
    description:
      'What the visitor was shown: the text with the SHA-256 that the record has as `shownHash`. Null for other entries.',
  }),
});

const ConsistencyProof = namedObject('ConsistencyProof', {
  from: Count.meta({ description: 'The size of the earlier checkpoint.' }),
  hashes: z.array(Base64Hash).meta({ description: 'RFC 9162 section 2.1.4.' }),
  checkpoint: CheckpointView,
  rotations: Rotations,
});

const Size = text(20)
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.maxLength;
      Object.assign(jsonSchema, { type: 'integer', minimum: 0 });
    },
  });

// Once for both ledgers: the name of a schema is unique in the OpenAPI document.
const CheckpointPage = cursorPageOf(CheckpointView);

/** The ledgers, with the scope that may read them. */
const ledgers = {
  audit: { scope: 'audit:read', name: 'Audit', title: 'the audit log' },
  consent: { scope: 'consent:read', name: 'Consent', title: 'the consent ledger' },
} as const satisfies Record<LedgerName, { scope: Scope; name: string; title: string }>;

/** The operations that prove what the ledgers held: checkpoints, proofs and exports. */
export function proofRoutes(installation: Installation): readonly Route[] {
  return (['audit', 'consent'] as const).flatMap((ledger) => ledgerRoutes(installation, ledger));
}

function ledgerRoutes({ database, signer, anchors }: Installation, ledger: LedgerName): readonly Route[] {
  const { scope, name, title } = ledgers[ledger];
  const common = { tag: 'Proofs', scope, errors: ['checkpoint_missing'] as const };
  const base = `/v1/ledgers/${ledger}`;
  const queries = database.kysely;
  return [
    listRoute(`${base}/checkpoints`, {
      operationId: `list${name}Checkpoints`,
      reads: 'replica',
      sdkMethod: `ledgers.${ledger}.checkpoints.list`,
      tag: 'Proofs',
      scope,
      summary: `List the signed checkpoints of ${title}, newest first`,
      limit: { most: 100, usual: 25 },
      result: CheckpointPage,
      place: 'number',
      find: ({ queries, principal: { tenantId } }, { after, limit }) =>
        listCheckpoints(queries, { tenantId, ledger }, after, limit),
    }),
    defineRoute(`POST ${base}/checkpoints`, {
      operationId: `create${name}Checkpoint`,
      sdkMethod: `ledgers.${ledger}.checkpoints.create`,
      ...common,
      summary: `Sign a checkpoint of ${title} as it is now`,
      description:
        'The server signs one at intervals by itself. If nothing was added since the latest, the latest is returned.',
      status: 201,
      result: CheckpointView,
      errors: ['conflict'],
      async write(call, tx) {
        const of = { tenantId: call.principal.tenantId, ledger };
        const { entries, hashed, signed } = await readState(tx.queries, of);
        // The background work adds them first.
        if (entries - hashed > mostMissing) throw isBusy();
        if (signed === null || signed < entries)
          await recordEvent(tx, call.source(), {
            module: 'ledger',
            action: 'checkpoint.requested',
            targetId: ledger,
            targetRef: null,
          });
        return signCheckpoint(tx, { signer, anchors }, of).catch((error: unknown) => {
          throw error instanceof RewrittenLedger ? new Problem('conflict', refusal) : error;
        });
      },
    }),
    defineRoute(`GET ${base}/checkpoints/latest`, {
      operationId: `getLatest${name}Checkpoint`,
      sdkMethod: `ledgers.${ledger}.checkpoints.retrieveLatest`,
      ...common,
      summary: `Get the latest signed checkpoint of ${title}`,
      result: CheckpointView,
      handle: ({ principal: { tenantId } }) => requireCheckpoint(queries, { tenantId, ledger }),
    }),
    defineRoute(`GET ${base}/inclusion-proof`, {
      operationId: `prove${name}Inclusion`,
      sdkMethod: `ledgers.${ledger}.proveInclusion`,
      ...common,
      summary: `Prove that an entry of ${title} is included in a checkpoint`,
      query: entryQuery[ledger],
      result: InclusionProof,
      handle: ({ query: { size, ...name }, principal: { tenantId } }) =>
        proveInclusion(queries, { tenantId, ledger }, name, size),
    }),
    defineRoute(`GET ${base}/consistency-proof`, {
      operationId: `prove${name}Consistency`,
      sdkMethod: `ledgers.${ledger}.proveConsistency`,
      ...common,
      summary: `Prove that a checkpoint of ${title} extends an earlier one`,
      query: z.strictObject({
        from: Size.meta({ description: 'The size of the earlier checkpoint.' }),
        to: Size.optional().meta({ description: 'The size of the later one; default: the latest.' }),
      }),
      result: ConsistencyProof,
      async handle({ query: { from, to }, principal: { tenantId } }) {
        const of = { tenantId, ledger };
        const checkpoint = await requireCheckpoint(queries, of, to);
        const { size } = checkpoint;
        if (from > size)
          throw invalidValues([{ path: 'query.from', issue: `must be at most ${size}, the size of the later one` }]);
        const hashes = await encodeRanges(queries, of, consistencyPath(from, size));
        return { from, hashes, checkpoint, rotations: [...(await listRotationNotes(queries, of))] };
      },
    }),
    defineRoute(`GET ${base}/export`, {
      operationId: `export${name}Ledger`,
      reads: 'replica',
      sdkMethod: `ledgers.${ledger}.export`,
      ...common,
      summary: `Export ${title} as JSON Lines that can be verified offline`,
      description:
        'The first line is a header with the latest signed checkpoint and the proofs; each other line is an entry: { sequence, prevHash, hash, entry, openings }, or, before the first record that names it, the text that a visitor was shown: { shown }. The file includes the entries just before and after the range, to prove that nothing was left out. Entries newer than the checkpoint are not included: sign one first. Verify with: svc export verify. A tenant may run 16 exports at once, unless this server is configured otherwise; further ones get 429. A client that reads nothing for 30 seconds is disconnected.',
      query: z.strictObject({
        from: Time.optional().meta({ description: 'Entries at this time or later.' }),
        to: Time.optional().meta({ description: 'Entries before this time.' }),
        since: Size.optional().meta({ description: 'The size of an earlier checkpoint that you kept.' }),
        ...linkQuery,
      }),
      isBare: true,
      isStreamed: true,
      answerType: 'application/jsonl; charset=utf-8',
      headers: ['Content-Disposition'],
      result: z.string().meta({ description: 'JSON Lines.' }),
      async handle({ query, queries, principal }) {
        requireLinkOwner(principal, query);
        const { tenantId } = principal;
        const { from = null, to = null, since = null } = query;
        const of = { tenantId, ledger };
        const checkpoint = await requireCheckpoint(queries, of);
        const findShown = (entry: Parameters<typeof findShownText>[2]) => findShownText(queries, tenantId, entry);
        const wanted = { ...of, from, to, since, checkpoint, verifierKey: signer.verifierKey, findShown };
        const { lines } = await prepareExport(queries, wanted).catch(refuse);
        return new ReadyAnswer(200, Readable.from(lines), {
          'Content-Disposition': `attachment; filename="${ledger}-${checkpoint.size}.jsonl"`,
        });
      },
    }),
  ];
}

const refusal =
  'The ledger does not contain a checkpoint that was signed before, so no new checkpoint is signed. The operator of the server must run: svc verify.';

/** Adding this many entries takes about 0.1 s. */
const mostMissing = 20_000;

function refuse(error: unknown): never {
  if (error instanceof IncompleteTiles) throw isBusy();
  if (!(error instanceof ImpossibleRange)) throw error;
  throw invalidValues([{ path: `query.${error.option}`, issue: error.message }]);
}

const size = Size.optional().meta({ description: 'The size of the checkpoint; default: the latest.' });
const sequence = Size.meta({ description: 'The number of the entry.' });

/** The query that names an entry. Records contain their number; events only have an id in lists. */
const entryQuery = {
  audit: z
    .strictObject({
      id: text(100).min(1).optional().meta({ description: 'The id of the event; or its number.' }),
      sequence: sequence.optional(),
      size,
    })
    .refine(({ id, sequence }) => (id === undefined) !== (sequence === undefined), {
      path: ['id'],
      message: 'name the event either by id or by sequence',
    }),
  consent: z.strictObject({ sequence, size }),
} as const;

/**
 * Proves that an entry is included in a checkpoint.
 * @param size of the checkpoint; default: the latest.
 * @throws {Problem} `not_found`, `checkpoint_missing`.
 */
export async function proveInclusion(
  queries: Queries,
  of: LedgerOf,
  name: Parameters<typeof findEntry>[2],
  size?: number,
): Promise<z.output<typeof InclusionProof>> {
  const found = requireFound(await findEntry(queries, of, name), 'entry of the ledger');
  const { sequence, hash, prevHash, openings } = found;
  const checkpoint = await requireCheckpoint(queries, of, size);
  if (sequence > checkpoint.size) {
    const fault = `The checkpoint covers ${checkpoint.size} entries, this entry has number ${sequence}. Create a new checkpoint: POST /v1/ledgers/${of.ledger}/checkpoints`;
    throw new Problem('checkpoint_missing', fault);
  }
  const hashes = await encodeRanges(queries, of, inclusionPath(sequence - 1, checkpoint.size));
  const leafHash = leafOf(hash).toString('base64');
  const entry = JSON.parse(found.entry);
  const shown = of.ledger === 'consent' ? await findShownText(queries, of.tenantId, entry) : null;
  const rotations = [...(await listRotationNotes(queries, of))];
  return { sequence, hash, leafHash, prevHash, entry, openings: [...openings], hashes, checkpoint, rotations, shown };
}

/**
 * The checkpoint of a size, or the latest.
 * @throws {Problem} `not_found` if there is none of this size, `checkpoint_missing` if there is none at all.
 */
async function requireCheckpoint(queries: Queries, of: LedgerOf, size?: number): Promise<StoredCheckpoint> {
  const checkpoint = await findCheckpoint(queries, of, size);
  if (checkpoint !== undefined) return checkpoint;
  if (size !== undefined) throw notFound('checkpoint of this size');
  throw new Problem(
    'checkpoint_missing',
    `There is no checkpoint yet. Create one: POST /v1/ledgers/${of.ledger}/checkpoints`,
  );
}

/** @throws {Problem} `rate_limited` while tiles are being rebuilt. */
async function encodeRanges(queries: Queries, of: LedgerOf, ranges: readonly Range[]): Promise<string[]> {
  return encodeAll(await hashRanges(queries, of, ranges).catch(refuse));
}

/** The response while a tree still lacks many entries. */
function isBusy(): Problem {
  const fault = 'The server is still reading this ledger into its Merkle tree; try again in a minute.';
  return new Problem('rate_limited', fault, { headers: { 'Retry-After': '60' } });
}
