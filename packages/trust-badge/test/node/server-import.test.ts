import assert from 'node:assert/strict';
import test from 'node:test';

test('the module can be imported without a DOM', async () => {
  const module = await import('../../src/index.ts');
  assert.deepEqual(Object.keys(module).sort(), ['SvcTrustBadgeElement', 'mountSvcTrustBadge']);
  assert.equal('mountSvcTrustBadge' in globalThis, false);
});
