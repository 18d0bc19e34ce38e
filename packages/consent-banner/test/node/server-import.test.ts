import assert from 'node:assert/strict';
import test from 'node:test';

test('the module can be imported where there is no DOM', async () => {
  const module = await import('../../src/index.ts');
  assert.deepEqual(Object.keys(module), ['SvcConsentElement', 'SvcPrivacyChoicesElement']);
  assert.equal('SvcConsent' in globalThis, false);
});
