import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** A browser that is controlled by WebDriver (https://www.w3.org/TR/webdriver2/), as far as these tests need it. */
export class WebDriver implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[];
  readonly #address: string;

  private constructor(processes: readonly ChildProcess[], address: string) {
    this.#processes = processes;
    this.#address = address;
  }

  /** Starts WebKitGTK's MiniBrowser on a virtual screen. */
  static async startWebKit(): Promise<WebDriver> {
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [[display]] = await Promise.all([once(screen.stdio[3] as Readable, 'data'), once(screen, 'spawn')]);
    const port = await findPort();
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...process.env, DISPLAY: `:${String(display).trim()}`, GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1' },
    });
    const address = `http://127.0.0.1:${port}`;
    await waitForStatus(address);
    const { sessionId } = await send<{ sessionId: string }>(`${address}/session`, { capabilities: {} });
    return new WebDriver([driver, screen], `${address}/session/${sessionId}`);
  }

  async open(url: string): Promise<void> {
    await send(`${this.#address}/url`, { url });
  }

  async reload(): Promise<void> {
    await send(`${this.#address}/refresh`, {});
  }

  async back(): Promise<void> {
    await send(`${this.#address}/back`, {});
  }

  /** Clicks a point of the viewport. */
  async click(x: number, y: number): Promise<void> {
    const steps = [
      { type: 'pointerMove', duration: 0, origin: 'viewport', x: Math.round(x), y: Math.round(y) },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: steps };
    await send(`${this.#address}/actions`, { actions: [mouse] });
  }

  /** The value of an expression, awaited in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    // As text: the driver reads inherited properties of objects, which a page may have added.
    const script = `const done = (result) => arguments[0](JSON.stringify(result));
      Promise.resolve().then(() => (${expression})).then((value) => done({ value }), (error) => done({ error: String(error) }))`;
    const result = await send<string>(`${this.#address}/execute/async`, { script, args: [] });
    const { value, error } = JSON.parse(result) as { value: T; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Presses a key, given as its code point, with or without a modifier key. */
  async press(key: string, held?: string): Promise<void> {
    const strokes = [
      ...(held ? [{ type: 'keyDown', value: held }] : []),
      { type: 'keyDown', value: key },
      { type: 'keyUp', value: key },
      ...(held ? [{ type: 'keyUp', value: held }] : []),
    ];
    await send(`${this.#address}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions: strokes }] });
  }

  async takePicture(): Promise<Buffer> {
    return Buffer.from(await send<string>(`${this.#address}/screenshot`), 'base64');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await fetch(this.#address, { method: 'DELETE' }).catch(() => {});
    for (const process of this.#processes) {
      process.kill();
      if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
    }
  }
}

/** Sends a request to the driver; with a body it is a POST. */
async function send<T>(url: string, body?: object): Promise<T> {
  const response = await fetch(url, body ? { method: 'POST', body: JSON.stringify(body) } : {});
  const { value } = (await response.json()) as { value: T };
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(value)}`);
  return value;
}

async function waitForStatus(address: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await fetch(`${address}/status`).catch(() => null);
    if (response?.ok) return;
    await wait(50);
  }
  throw new Error('the driver did not start');
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
