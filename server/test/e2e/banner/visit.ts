import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EnginePage, Key } from './engines.ts';
import { inspectPage } from './inspect.ts';

/** Set it to a folder to write a screenshot of every step there. */
const pictures = process.env.SVC_SCREENSHOTS;

/** The name of the focused element, through every shadow root. */
export const readFocus = `(() => {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused || focused === document.body) return '';
  const root = focused.getRootNode();
  const named = focused.getAttribute('aria-labelledby');
  const name = named ? root.getElementById(named).textContent : (focused.ariaLabel ?? focused.textContent);
  return name.replace(/[\\u2066-\\u2069]/g, '').trim();
})()`;

/** The same visit in each engine. */
export class Visit {
  readonly #engine: string;
  readonly #page: EnginePage;
  #steps = 0;

  constructor(engine: string, page: EnginePage) {
    this.#engine = engine;
    this.#page = page;
  }

  evaluate<T>(expression: string): Promise<T> {
    return this.#page.evaluate<T>(expression);
  }

  async until(expression: string): Promise<void> {
    const look = `(resolve) => { const look = () => (${expression}) ? resolve(true) : setTimeout(look, 10); look(); }`;
    const tooLate = `new Promise((_, reject) => setTimeout(() => reject(new Error(${JSON.stringify(expression)})), 10_000))`;
    await this.#page.evaluate(`Promise.race([new Promise(${look}), ${tooLate}])`);
  }

  /** Clicks an element, once it is where it stays and nothing covers it. */
  async click(element: string): Promise<void> {
    const [x, y] = await this.#page.evaluate<[number, number]>(`new Promise((resolve) => {
      let last = '';
      const look = () => {
        const target = ${element};
        const { x, y, width, height } = target.getBoundingClientRect();
        const point = [x + width / 2, y + height / 2];
        const root = target.getRootNode();
        const isMoving = root.getAnimations().some(({ playState }) => playState === 'running');
        const isHit = target.contains(root.elementFromPoint(...point));
        if (isHit && !isMoving && String(point) === last) resolve(point);
        else requestAnimationFrame(look);
        last = String(point);
      };
      look();
    })`);
    await this.#page.click(x, y);
  }

  /** Presses a key several times. @returns where the focus went. */
  async press(key: Key, { times = 1, shift = false } = {}): Promise<readonly string[]> {
    const seen: string[] = [];
    for (let time = 0; time < times; time++) {
      await this.#page.press(key, { shift });
      seen.push(await this.#page.evaluate<string>(readFocus));
    }
    return seen;
  }

  async assertFine(): Promise<void> {
    await this.#page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))',
    );
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      writeFileSync(join(pictures, `${this.#engine}-${++this.#steps}.png`), await this.#page.takePicture());
    }
    assert.deepEqual(await inspectPage(this.#page), []);
  }
}
