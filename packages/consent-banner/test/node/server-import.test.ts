import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as gpp from '../../src/add-ons/gpp/index.ts';
import * as requests from '../../src/add-ons/requests/index.ts';
import * as signals from '../../src/add-ons/signals/index.ts';
import { createConsent } from '../../src/headless.ts';
import { record } from '../../src/records/record.ts';

test('the module can be imported where there is no DOM', async () => {
  const module = await import('../../src/index.ts');
  assert.deepEqual(Object.keys(module), ['SvcConsentElement', 'SvcPrivacyChoicesElement']);
  assert.equal('SvcConsent' in globalThis, false);
});

describe('without a DOM', () => {
  test('the add-ons do nothing', () => {
    const exported = [signals, gpp, requests].map((module) => Object.keys(module));
    assert.deepEqual(exported, [['sendConsentSignals'], ['provideGpp'], ['holdRequests']]);
    const before = Object.keys(globalThis);
    const { fetch } = globalThis;
    signals.sendConsentSignals({ signals: 'statistics: matomo' })();
    gpp.provideGpp({ sections: 'usnat' });
    requests.holdRequests({ requests: 'statistics: plausible.io' })();
    assert.deepEqual([Object.keys(globalThis), globalThis.fetch], [before, fetch]);
  });

  test('consent without an interface does nothing', async () => {
    const consent = createConsent({ noticeId: 'a-notice', apiBase: 'https://consent.example.com' });
    const stop = consent.subscribe(() => assert.fail('there is nothing to report'));
    assert.equal(consent.get(), null);
    assert.equal(await consent.loadNotice(), null);
    assert.equal(await consent.acceptAll(), null);
    assert.equal(consent.readReceipt(), null);
    stop();
    consent.destroy();
    assert.equal('SvcConsent' in globalThis, false);
  });

  test('record() refuses to run: all visitors would get one id', () => {
    const decision = { noticeId: 'a', apiBase: 'https://consent.example.com', purposes: { necessary: true } };
    assert.throws(() => record(decision), /runs in a browser.*@svc\/node-sdk/);
  });
});
