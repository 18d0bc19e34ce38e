import type { PanelParts } from './mount-panel.ts';
import { reportProblem } from './report-problem.ts';

export type LoadPanel = () => Promise<() => PanelParts>;

/** Loads stage three when it is needed. */
export class PanelLoader {
  /** Stage three, once loaded. */
  parts: PanelParts | undefined;
  /** Whether loading failed. */
  isFailed = false;
  readonly #load: LoadPanel;
  #loading: Promise<void> | undefined;

  constructor(load: LoadPanel) {
    this.#load = load;
  }

  /** Loads stage three; failures are logged, and the next call retries. */
  async prepare(): Promise<boolean> {
    this.#loading ??= this.#load().then(
      (mount) => {
        this.parts = mount();
      },
      (cause) => {
        this.#loading = undefined;
        this.isFailed = true;
        reportProblem(`no preferences to show (${cause}). Check that file and your CSP.`);
      },
    );
    await this.#loading;
    return this.parts !== undefined;
  }
}
