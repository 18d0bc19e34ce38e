import { attempt } from '../../stub/attempt.ts';
import { bridgeFrames } from './frame-bridge.ts';
import type { LoadedList } from './load-vendor-list.ts';
import type { TcfSettings } from './settings.ts';
import { NAME, type StubRemains, type TcfApiFunction, takePlace } from './take-over.ts';
import { type TcfAnswer, type TcfView, writeTcData } from './tc-data.ts';

type Callback = (answer: unknown, success?: boolean) => void;

const API_VERSION = '2.2';
const FORMAT = 2;

/**
 * `window.__tcfapi` (IAB Tech Lab, "CMP API v2"): returns the TC string and its content to callers, and notifies them of changes.
 * What was asked of a stub on the page before is answered, too.
 */
export class TcfApi {
  readonly #settings: TcfSettings | null;
  readonly #loadList: () => Promise<LoadedList | null>;
  readonly #listeners = new Map<number, Callback>();
  #lastId = 0;
  /** Questions that have no answer before there is a TC string. */
  readonly #waiting: (() => void)[] = [];
  #view: TcfView | undefined;
  #isBroken: boolean;

  /**
   * @param settings null if no TC string can be provided: then `ping` reports an error, and nothing else is answered.
   * @param loadList called when a script requests the vendor list.
   */
  constructor(settings: TcfSettings | null, loadList: () => Promise<LoadedList | null>) {
    this.#settings = settings;
    this.#loadList = loadList;
    this.#isBroken = settings === null;
  }

  /** Takes the place of a stub from now on, and answers what it has kept. */
  publish({ queue, hasBridge }: StubRemains): void {
    const answer: TcfApiFunction = (...call) => this.#answer(...call);
    takePlace(answer);
    bridgeFrames(NAME, answer, hasBridge);
    for (const call of [...queue]) attempt(() => answer(...call));
  }

  /** No TC string will come on this page. Callers that wait for one have no consent. */
  fail(): void {
    this.#isBroken = true;
    this.#waiting.length = 0;
    this.#listeners.clear();
  }

  /** Takes over the current state. Listeners are notified unless it is `quiet`. */
  update(view: TcfView, isQuiet: boolean): void {
    this.#view = view;
    if (view.event) for (const ask of this.#waiting.splice(0)) ask();
    if (!isQuiet) for (const [id, listener] of this.#listeners) this.#tell(listener, id);
  }

  #answer(command?: unknown, version?: unknown, callback?: unknown, parameter?: unknown): void {
    if (typeof callback !== 'function') return;
    const tell = callback as Callback;
    if (version && version !== FORMAT) {
      tell(null, false);
    } else if (command === 'ping') {
      tell(this.#ping(), true);
    } else if (this.#isBroken) {
      // "CMP API v2", status `error`: a CMP does not respond to any other request.
    } else if (command === 'addEventListener') {
      this.#lastId++;
      this.#listeners.set(this.#lastId, tell);
      this.#tell(tell, this.#lastId);
    } else if (command === 'removeEventListener') {
      tell(this.#listeners.delete(Number(parameter)));
    } else if (command === 'getTCData') {
      if (this.#view?.event || !this.#settings?.gdprApplies) this.#tell(tell);
      else this.#waiting.push(() => this.#tell(tell));
    } else if (command === 'getVendorList') {
      void this.#loadList().then((loaded) => {
        if (!this.#isBroken) this.#tellList(tell, loaded, parameter);
      });
    } else {
      tell(null, false);
    }
  }

  #ping(): TcfAnswer {
    const { cmpId, cmpVersion, gdprApplies } = this.#settings ?? {};
    return {
      gdprApplies,
      cmpLoaded: true,
      cmpStatus: this.#isBroken ? 'error' : this.#view || !gdprApplies ? 'loaded' : 'loading',
      displayStatus: this.#view?.display ?? (gdprApplies ? 'hidden' : 'disabled'),
      apiVersion: API_VERSION,
      cmpVersion,
      cmpId,
      gvlVersion: this.#view?.list.version,
      tcfPolicyVersion: this.#view?.list.policyVersion,
    };
  }

  /** One listener that throws stops no other. */
  #tell(listener: Callback, listenerId?: number): void {
    attempt(() => listener(writeTcData(this.#settings as TcfSettings, this.#view, listenerId), true));
  }

  #tellList(tell: Callback, loaded: LoadedList | null, wanted: unknown): void {
    const isThis = wanted === undefined || wanted === 'LATEST' || Number(wanted) === loaded?.list.version;
    attempt(() => (loaded && isThis ? tell(loaded.raw, true) : tell(null, false)));
  }
}
