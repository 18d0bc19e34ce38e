import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { pageWords } from './preferences.ts';

const every = 3000;
/** Without input for so long, polling pauses: each request keeps the session alive. */
const patience = 5 * 60_000;

/** Looks again every three seconds while the page is visible, until the user has done nothing for minutes. */
export class Polling implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #look: () => Promise<void>;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastInput = 0;
  #isLooking = false;
  #isPaused = false;

  /** @param look does nothing when there is nothing to look for. */
  constructor(host: ReactiveControllerHost, look: () => Promise<void>) {
    this.#host = host;
    this.#look = look;
    host.addController(this);
  }

  hostConnected(): void {
    this.#noteInput();
    addEventListener('pointerdown', this.#noteInput);
    addEventListener('keydown', this.#noteInput);
    this.#timer = setInterval(() => void this.#tick(), every);
  }

  hostDisconnected(): void {
    removeEventListener('pointerdown', this.#noteInput);
    removeEventListener('keydown', this.#noteInput);
    clearInterval(this.#timer);
  }

  /** Says that it is paused; any input ends that. */
  view(): TemplateResult | typeof nothing {
    if (!this.#isPaused) return nothing;
    return html`<p class="notice" role="status">${pageWords.pollingPaused}</p>
      <div class="actions"><button @click=${this.#noteInput}>${pageWords.continuePolling}</button></div>`;
  }

  async #tick(): Promise<void> {
    if (document.hidden || this.#isLooking || this.#isPaused) return;
    this.#isPaused = Date.now() - this.#lastInput > patience;
    if (this.#isPaused) return this.#host.requestUpdate();
    this.#isLooking = true;
    await this.#look();
    this.#isLooking = false;
  }

  readonly #noteInput = (): void => {
    this.#lastInput = Date.now();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#host.requestUpdate();
  };
}
