import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameDevice } from '../../../accounts/sign-in/device.ts';

const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const samples: readonly (readonly [string | null, string | null])[] = [
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/26.0 Safari/605.1.15`, 'Safari on macOS'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${apple} Version/26.0 Mobile/15E148 Safari/604.1`,
    'Safari on iOS',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${apple} CriOS/142.0 Mobile/15E148 Safari/604.1`,
    'Chrome on iOS',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${blink} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${blink} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${blink} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${blink} SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge on Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/142.0.0.0 Safari/537.36 OPR/125.0.0.0`,
    'Opera on Windows',
  ],
  ['curl/8.14.1', 'curl'],
  ['Mozilla/5.0 (Windows NT 10.0)', 'Windows'],
  ['a program', null],
  ['', null],
  [null, null],
  [`${'x'.repeat(20_000)} Firefox/1`, null],
];

describe('the name of a device', () => {
  for (const [userAgent, name] of samples)
    test(`is ${name} for ${userAgent?.slice(0, 120)}`, () => assert.equal(nameDevice(userAgent), name));
});
