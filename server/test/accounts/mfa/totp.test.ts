import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTotpSecret, findStep, isTotpCode, writeTotpUri } from '../../../accounts/mfa/codes.ts';
import { computeCode, decodeBase32 } from './authenticator.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const moments = fc.integer({ min: 300, max: 4_000_000_000 });
const secrets = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
  minLength: 32,
  maxLength: 32,
});

/** The code some steps away; leaves the few cases out in which steps near each other have the same code. */
function distinctCode(secret: string, present: number, drift: number): string {
  const codes = Array.from({ length: 11 }, (_, index) => computeCode(secret, (present + index - 5) * 30_000));
  fc.pre(new Set(codes).size === codes.length);
  return codes[drift + 5] as string;
}

describe('TOTP', () => {
  // RFC 6238 appendix B, the rows of SHA-1; codes of six digits are the last six of eight.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const vectors: readonly [seconds: number, step: number, code: string][] = [
    [59, 0x1, '94287082'],
    [1111111109, 0x23523ec, '07081804'],
    [1111111111, 0x23523ed, '14050471'],
    [1234567890, 0x273ef07, '89005924'],
    [2000000000, 0x3f940aa, '69279037'],
    [20000000000, 0x27bc86aa, '65353130'],
  ];
  for (const [seconds, step, code] of vectors) {
    test(`knows the code of RFC 6238 at ${seconds} s`, async () => {
      assert.equal(decodeBase32(secret).toString(), '12345678901234567890');
      assert.equal(await findStep(secret, code.slice(2), at(seconds), null), step);
      assert.equal(computeCode(secret, seconds * 1000), code.slice(2));
    });
  }

  test('accepts the codes of the present step, the one before and the one after, whenever in the step', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, moments, fc.integer({ min: -5, max: 5 }), async (secret, seconds, drift) => {
        const present = Math.floor(seconds / 30);
        const code = distinctCode(secret, present, drift);
        const found = await findStep(secret, code, at(seconds), null);
        assert.equal(found, Math.abs(drift) <= 1 ? present + drift : null);
      }),
    );
  });

  test('never accepts a step up to the last one, and every later one in the window', async () => {
    const near = fc.integer({ min: -1, max: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(secrets, moments, near, fc.integer({ min: -3, max: 4 })),
        async ([secret, seconds, drift, last]) => {
          const present = Math.floor(seconds / 30);
          const found = await findStep(secret, distinctCode(secret, present, drift), at(seconds), present + last);
          assert.equal(found, drift > last ? present + drift : null);
        },
      ),
    );
  });

  test('has secrets of 160 bits that do not repeat', () => {
    const made = Array.from({ length: 100 }, createTotpSecret);
    assert.equal(new Set(made).size, 100);
    for (const one of made) assert.equal(decodeBase32(one).length, 20);
  });

  test('writes a URI with issuer, user and all parameters', () => {
    const uri = new URL(writeTotpUri(secret, 'o+k@example.com'));
    assert.equal(uri.protocol + uri.host, 'otpauth:totp');
    assert.equal(decodeURIComponent(uri.pathname), '/Svc:o+k@example.com');
    const { issuer, ...parameters } = Object.fromEntries(uri.searchParams);
    assert.equal(issuer, 'Svc');
    assert.equal(parameters.secret, secret);
    // Omitted parameters have these values (Key Uri Format of Google Authenticator).
    const defaults = { algorithm: 'SHA1', digits: '6', period: '30' };
    assert.deepEqual({ ...defaults, ...parameters }, { ...defaults, secret });
  });

  test('accepts only six ASCII digits as a code', () => {
    for (const text of ['000000', '123456']) assert.ok(isTotpCode(text));
    for (const text of ['', '12345', '1234567', '12345a', '١٢٣٤٥٦', '１２３４５６', '+12345', '12345\n', '1e5000'])
      assert.ok(!isTotpCode(text), text);
  });
});
