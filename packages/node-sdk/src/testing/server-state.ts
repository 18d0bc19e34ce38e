import { randomUUID } from 'node:crypto';
import { AccessTokens } from './access-tokens.ts';
import type { ToldAnswer } from './answer.ts';
import { Faults } from './faults.ts';
import { createFeatures, type Features } from './features.ts';
import { Keys } from './keys.ts';
import { NoteSigner } from './note-signer.ts';
import type { OpenRecord } from './recorded-request.ts';
import { StoredAnswers } from './stored-answers.ts';
import { TestClock } from './test-clock.ts';
import { newId, World } from './world.ts';

/** What a test server keeps: what it was told beforehand, what it was asked, and the tenant that requests change. */
export class ServerState {
  readonly clock: TestClock = new TestClock();
  /** The SCIM token that there is from the start. */
  readonly scimToken: string = `scim_${randomUUID().replaceAll('-', '')}`;
  readonly signer: NoteSigner = new NoteSigner();
  readonly faults: Faults = new Faults();
  readonly stored: StoredAnswers = new StoredAnswers(this.clock);
  #world = new World(newId(), this.clock.now());
  readonly keys: Keys = new Keys(() => this.#world);
  readonly tokens: AccessTokens = new AccessTokens(this.keys, this.clock);
  readonly #locate: () => string;
  #features: Features;
  #requests: readonly OpenRecord[] = [];
  #answers: readonly ToldAnswer[] = [];

  /** @param locate tells the address of the server. */
  constructor(locate: () => string) {
    this.#locate = locate;
    this.#features = this.#createFeatures();
  }

  /** The tenant, its audit log, and what all features share. */
  get world(): World {
    return this.#world;
  }

  get features(): Features {
    return this.#features;
  }

  /** The address of the server. */
  get baseUrl(): string {
    return this.#locate();
  }

  /** Every request so far, oldest first. */
  get requests(): readonly OpenRecord[] {
    return this.#requests;
  }

  keepRequest(recorded: OpenRecord): void {
    this.#requests = [...this.#requests, recorded];
  }

  /** What the test told, latest first. */
  get answers(): readonly ToldAnswer[] {
    return this.#answers;
  }

  /** Keeps an answer; it comes before those that were told for the same operation. */
  keepAnswer(told: ToldAnswer): void {
    this.#answers = [told, ...this.#answers];
  }

  /** What the test told to answer an operation with. */
  findAnswer(id: string | null): ToldAnswer | undefined {
    return this.#answers.find(({ operation }) => operation === id);
  }

  /** Forgets everything but the keys and the SCIM token. */
  reset(): void {
    this.#requests = [];
    this.faults.clear();
    this.stored.clear();
    this.#answers = [];
    this.clock.set(null);
    this.keys.reset();
    this.#world = new World(this.#world.tenantId, this.clock.now());
    this.#features = this.#createFeatures();
  }

  #createFeatures(): Features {
    const { keys, signer, scimToken } = this;
    return createFeatures(this.#world, { keys, signer, scimToken, locate: this.#locate }, this.clock.now());
  }
}
