import { createHmac, timingSafeEqual, webcrypto } from 'node:crypto';
import * as edge from '../../packages/webhook-verify/src/edge.ts';
import * as node from '../../packages/webhook-verify/src/node.ts';
import type { Benchmark } from './benchmark.ts';
import { judgeCpu } from './report.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const time = '1767225600';
const now = (): number => Number(time) * 1000;
const batch = 100;

/** The receiver's side of a webhook, against the MAC and the comparison that every receiver needs. */
export const verifyWebhook: Benchmark = {
  name: 'verify-webhook',
  async run({ pace }) {
    const key = await webcrypto.subtle.importKey('raw', Buffer.from(secret), macForm, false, ['sign']);
    const comparisons = [1024, 65_536].flatMap((length) => {
      const body = makeEvent(length);
      const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
      const delivery = { body, signature: `t=${time},v1=${expected.toString('hex')}` };
      const onNode = node.createWebhookVerifier({ secrets: secret, now });
      const onEdge = edge.createWebhookVerifier({ secrets: secret, now });
      const requireSame = (digest: Uint8Array) => {
        if (!timingSafeEqual(digest, expected)) throw new Error('the digest is another');
      };
      const compute = () => requireSame(createHmac('sha256', secret).update(`${time}.`).update(body).digest());
      const computeByWebCrypto = async () => {
        const signed = Buffer.concat([Buffer.from(`${time}.`), body]);
        requireSame(new Uint8Array(await webcrypto.subtle.sign('HMAC', key, signed)));
      };
      const size = `${length / 1024} KiB`;
      return [
        {
          what: `webhook signature, ${size} / createHmac and timingSafeEqual`,
          ours: () => onNode.verifySignature(delivery),
          floor: compute,
          atMost: length === 1024 ? 1.1 : 1.05,
        },
        {
          what: `webhook event, ${size} / the same and JSON.parse`,
          ours: () => onNode.constructEvent(delivery),
          floor: () => {
            compute();
            JSON.parse(body.toString());
          },
          atMost: 1.1,
        },
        {
          what: `webhook signature on the edge, ${size} / WebCrypto, key kept`,
          ours: () => onEdge.verifySignature(delivery),
          floor: computeByWebCrypto,
          atMost: 1.15,
        },
      ];
    });
    const findings = [];
    for (const { what, ours, floor, atMost } of comparisons) {
      const slice = (tx: () => unknown) => cpuSlice(() => repeat(tx), pace.milliseconds);
      const found = await compareInTurn(slice(ours), slice(floor), pace);
      findings.push(judgeCpu(what, found, { atMost }));
    }
    return findings;
  },
};

const macForm = { name: 'HMAC', hash: 'SHA-256' };

/** Only promises are awaited: a wait costs as much as a digest. */
async function repeat(tx: () => unknown): Promise<number> {
  for (let turn = 0; turn < batch; turn += 1) {
    const result = tx();
    if (result instanceof Promise) await result;
  }
  return batch;
}

function makeEvent(length: number): Buffer {
  const data: Record<string, string> = {};
  const event = { id: 'e', type: 'dsr.completed', createdAt: '2026-01-01T00:00:00.000Z', tenantId: 't', data };
  const text = () => JSON.stringify(event);
  for (let field = 0; text().length < Math.min(length - 40, 1000); field += 1) data[`field${field}`] = `value ${field}`;
  // The rest is one long text, as descriptions are.
  data.text = '';
  data.text = 'x'.repeat(length - text().length);
  return Buffer.from(text());
}
