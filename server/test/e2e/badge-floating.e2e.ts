import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { choices } from '../../../packages/trust-badge/src/attributes.ts';
import { readWidget } from '../../site/widgets/widget.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { publishTrust } from '../site/trust/helpers.ts';
import { type EnginePage, engines } from './banner/engines.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** The boxes of a badge: its root, the link or button in it, and its drawer, which is open. */
interface Measured {
  readonly variant: string;
  readonly position: string | null;
  readonly root: Box;
  readonly face: Box;
  readonly drawer: Box | null;
}

/** Waits for the data of every badge of a page, opens each drawer, and measures. */
const measure = `new Promise((resolve) => {
  const badges = [...document.querySelectorAll('svc-trust-badge')];
  const sizeOf = (element) => {
    if (!element) return null;
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right: document.documentElement.clientWidth - right, bottom: innerHeight - bottom, width, height };
  };
  const look = () => {
    if (!badges.every(({ shadowRoot }) => shadowRoot?.querySelector('.sure'))) return setTimeout(look, 10);
    resolve(badges.map((badge) => {
      const find = (selector) => badge.shadowRoot.querySelector(selector);
      find('button')?.click();
      const [root, face, drawer] = ['.root', '.face', ':popover-open'].map((selector) => sizeOf(find(selector)));
      return { variant: badge.getAttribute('variant'), position: badge.getAttribute('position'), root, face, drawer };
    }));
  };
  look();
})`;

describe('the box of a badge', () => {
  let server: TestServer;
  let site: Server;
  let slug: string;
  const widget = readWidget('trust-badge');

  before(async () => {
    server = await startTestServer();
    ({ slug } = await publishTrust(server));
    const badges = [
      ...choices.variant.map((variant) => `variant="${variant}"`),
      ...choices.position.map((position) => `variant="floating" position="${position}"`),
    ].map((attributes) => `<svc-trust-badge tenant="${slug}" ${attributes}></svc-trust-badge>`);
    site = createServer(({ url }, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang="en" dir="${url?.slice(1)}"><meta charset="utf-8"><title>A page</title>
        <link rel="icon" href="data:,"><script src="${server.url}${widget?.path}" crossorigin="anonymous" defer></script>
        <body><h1>A page</h1>${badges.join('')}</body></html>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  after(async () => {
    site?.closeAllConnections();
    site?.close();
    await server?.[Symbol.asyncDispose]();
  });

  async function assertSizes(page: EnginePage, dir: 'ltr' | 'rtl'): Promise<void> {
    await page.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/${dir}`);
    for (const { variant, position, root, face, drawer } of await page.evaluate<readonly Measured[]>(measure)) {
      const about = `${dir} ${variant} ${position}: ${JSON.stringify({ root, face, drawer })}`;
      assert.ok(Math.abs(root.width - face.width) <= 1 && Math.abs(root.height - face.height) <= 1, about);
      assert.ok(root.height < 500, about);
      if (position === null) continue;
      // The button is 3em high, and as wide as its words.
      assert.ok(face.height <= 80 && face.width <= 300, about);
      assert.ok(drawer !== null && drawer.height < 500 && drawer.width < 500, about);
      for (const side of position.split('-') as ('top' | 'bottom' | 'left' | 'right')[])
        assert.ok(Math.abs(face[side] - 16) <= 1, about);
    }
  }

  for (const engine of engines)
    test(`is as large as its content in ${engine.name}`, { skip: engine.skip, timeout: 60_000 }, async () => {
      assert.ok(widget, 'There is no built badge: npm run build:widgets');
      await using page = await engine.start();
      for (const dir of ['ltr', 'rtl'] as const) await assertSizes(page, dir);
    });
});
