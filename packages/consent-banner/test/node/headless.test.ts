import assert from 'node:assert/strict';
import test from 'node:test';
import { createConsent } from '../../src/headless.ts';

test('consent without an interface does nothing without a DOM', async () => {
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
