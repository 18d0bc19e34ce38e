import { hashLeaf } from '../ledger/merkle.ts';
import type { Checkpoint, ConsistencyProof, InclusionProof, LedgerName } from '../types/api.ts';
import { consistencyPath, hashRange, inclusionPath } from './merkle-paths.ts';
import type { NoteSigner } from './note-signer.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import { type Call, type Handlers, slicePage, type World } from './world.ts';
import { writeExport } from './write-export.ts';

/** One ledger as it proves itself. */
export class ProvableLedger {
  readonly #world: World;
  readonly #signer: NoteSigner;
  readonly #ledger: LedgerName;
  /** Oldest first. */
  readonly #checkpoints: Checkpoint[] = [];

  constructor(world: World, signer: NoteSigner, ledger: LedgerName) {
    this.#world = world;
    this.#signer = signer;
    this.#ledger = ledger;
  }

  /** The operations on the ledger. */
  handlers(): Handlers {
    const [first = '', ...rest] = this.#ledger;
    const name = first.toUpperCase() + rest.join('');
    return {
      [`list${name}Checkpoints`]: ({ query }: Call) =>
        slicePage([...this.#checkpoints].reverse(), ({ size }) => size, ['checkpoints', this.#ledger], query),
      [`create${name}Checkpoint`]: (call: Call) => this.#request(call),
      [`getLatest${name}Checkpoint`]: () => this.#require(),
      [`prove${name}Inclusion`]: ({ query }: Call) => this.#proveInclusion(query),
      [`prove${name}Consistency`]: ({ query }: Call) => this.#proveConsistency(Number(query.from), query.to),
      [`export${name}Ledger`]: ({ query }: Call) => {
        const { tenantId } = this.#world;
        const [checkpoint, publicKey] = [this.#require(), this.#signer.publicKey];
        return writeExport(this.#chain.entries, { tenantId, ledger: this.#ledger, checkpoint, publicKey, query });
      },
    };
  }

  get #chain() {
    return this.#world.ledgers[this.#ledger];
  }

  get #leaves(): readonly Buffer[] {
    return this.#chain.entries.map((entry) => hashLeaf(Buffer.from(entry.hash, 'hex')));
  }

  #request(call: Call): Checkpoint {
    const latest = this.#checkpoints.at(-1);
    if ((latest?.size ?? -1) < this.#chain.entries.length)
      this.#world.record(call, {
        ...{ module: 'ledger', action: 'checkpoint.requested', targetId: this.#ledger, targetRef: null },
      });
    const size = this.#chain.entries.length;
    if (latest !== undefined && latest.size >= size) return latest;
    const root = hashRange(this.#leaves, [0, size]).toString('base64');
    const at = call.now;
    const origin = `${this.#signer.name}/${this.#world.tenantId}/${this.#ledger}`;
    const note = this.#signer.sign(`${origin}\n${size}\n${root}\nTimestamp: ${at}\n`);
    const checkpoint = { ledger: this.#ledger, size, rootHash: root, at, note };
    this.#checkpoints.push(checkpoint);
    return checkpoint;
  }

  #require(size?: number): Checkpoint {
    const found = size === undefined ? this.#checkpoints.at(-1) : this.#checkpoints.find((one) => one.size === size);
    if (found !== undefined) return found;
    if (size !== undefined) throw notFound('checkpoint of this size');
    throw missing('There is no checkpoint yet. Make one', this.#ledger);
  }

  #proveInclusion({ id, sequence: number, size }: Call['query']): InclusionProof {
    const sequence = id === undefined ? Number(number) : this.#world.events.findIndex((event) => event.id === id) + 1;
    const entry = this.#chain.entries[sequence - 1];
    if (entry === undefined) throw notFound('entry of the ledger');
    const checkpoint = this.#require(size as number | undefined);
    if (sequence > checkpoint.size)
      throw missing(
        `The checkpoint speaks of ${checkpoint.size} entries, this one has number ${sequence}. Make a new one`,
        this.#ledger,
      );
    const leaves = this.#leaves;
    const hashes = inclusionPath(sequence - 1, checkpoint.size).map((range) => encode(hashRange(leaves, range)));
    return { sequence, hash: entry.hash, leafHash: encode(leaves[sequence - 1] as Buffer), hashes, checkpoint };
  }

  #proveConsistency(from: number, to: string | number | undefined): ConsistencyProof {
    const checkpoint = this.#require(to as number | undefined);
    const issue = `must be at most ${checkpoint.size}, the size of the later one`;
    if (from > checkpoint.size) throw invalidValues([{ path: 'query.from', issue }]);
    const leaves = this.#leaves;
    const hashes = consistencyPath(from, checkpoint.size).map((range) => encode(hashRange(leaves, range)));
    return { from, hashes, checkpoint };
  }
}

const encode = (hash: Buffer): string => hash.toString('base64');

function missing(message: string, ledger: LedgerName): Refusal {
  return new Refusal(409, 'checkpoint_missing', `${message}: POST /v1/ledgers/${ledger}/checkpoints`);
}
