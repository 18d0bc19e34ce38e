import assert from 'node:assert/strict';
import test from 'node:test';

test('the TCF add-on can be imported and started where there is no DOM', async () => {
  const module = await import('../../src/add-ons/tcf/index.ts');
  assert.deepEqual(Object.keys(module), ['startTcf']);
  module.startTcf({
    cmpId: 31,
    publisherCountry: 'DE',
    vendorList: '/list.json',
    vendors: [1],
    purposes: 'marketing: 1',
  });
  assert.equal('__tcfapi' in globalThis, false);
});
