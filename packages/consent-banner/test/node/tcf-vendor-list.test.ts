import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import fc from 'fast-check';
import { parseVendorList, type VendorList } from '../../src/add-ons/tcf/vendor-list.ts';
import { createVendor, createVendorList } from '../tcf-vendor-list.ts';

function parse(
  value: unknown,
  ids: readonly number[] = [1, 2, 3],
): VendorList & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  return { ...parseVendorList(value, ids, (problem) => problems.push(problem)), problems };
}

const withVendor = (changes: Readonly<Record<string, unknown>>) =>
  createVendorList({ vendors: { 1: createVendor(1, 'Acorn', changes) } });

describe('a vendor list', () => {
  test('provides the declarations of the configured vendors, and of no others', () => {
    const { vendors, version, policyVersion, problems } = parse(createVendorList(), [2, 4]);
    assert.deepEqual([version, policyVersion, problems], [42, 5, []]);
    assert.deepEqual(
      vendors.map(({ name }) => name),
      ['Birch Metrics', 'Dune Delivery'],
    );
    assert.deepEqual(vendors[0]?.purposes, [1, 8]);
    assert.deepEqual(vendors[0]?.interests, [7, 9]);
    assert.equal(vendors[0]?.retention.purposes.get(1), 30);
    assert.equal(vendors[0]?.retention.usual, 90);
    assert.equal(vendors[0]?.cookieMaxAgeSeconds, 604_800);
    assert.equal(vendors[1]?.cookieMaxAgeSeconds, undefined, 'no cookies, no time');
  });

  test('omits and names a vendor that is not in it or has left it', () => {
    const { vendors, problems } = parse(createVendorList(), [1, 6, 77]);
    assert.deepEqual(
      vendors.map(({ id }) => id),
      [1],
    );
    assert.deepEqual(problems, [
      'vendor 6 has left the vendor list. It is left out.',
      'vendor 77 is not in the vendor list. It is left out.',
    ]);
  });

  test('is rejected with the reason if it is invalid, or of another format', () => {
    for (const value of [null, 7, 'list', [], {}]) assert.throws(() => parse(value), /must be/);
    assert.throws(() => parse(createVendorList({ gvlSpecificationVersion: 2 })), /gvlSpecificationVersion must be 3/);
    assert.throws(() => parse(createVendorList({ vendorListVersion: '42' })), /vendorListVersion must be 1 to 4095/);
    assert.throws(() => parse(createVendorList({ tcfPolicyVersion: 64 })), /tcfPolicyVersion must be 1 to 63/);
    assert.throws(() => parse(createVendorList({ vendors: null })), /vendors must be an object/);
  });

  const broken: Readonly<Record<string, unknown>> = {
    'a text for its purposes': { purposes: '1' },
    'texts among its purposes': { purposes: [1, '2'] },
    'a purpose that is no count': { purposes: [1.5] },
    'a hundred purposes': { purposes: Array.from({ length: 100 }, (_, index) => index + 1) },
    'special features that are no list': { specialFeatures: { 1: true } },
    'another id than its place': { id: 2 },
    'no name': { name: '' },
    'a name that is no text': { name: { toString: 'Acorn' } },
  };
  for (const [what, changes] of Object.entries(broken)) {
    test(`omits a vendor with ${what}, because its purposes are unknown`, () => {
      const { vendors, problems } = parse(withVendor(changes as Readonly<Record<string, unknown>>), [1]);
      assert.deepEqual(vendors, []);
      assert.equal(problems.length, 1);
    });
  }

  test('contains no legitimate interest for purposes that need consent under policy 2.2', () => {
    const { vendors } = parse(withVendor({ legIntPurposes: [1, 2, 3, 4, 5, 6, 7] }), [1]);
    assert.deepEqual(vendors[0]?.interests, [2, 7]);
  });

  test('provides only web addresses', () => {
    const urls = ['javascript:alert(1)', 'data:text/html,x', '//x', 7, null].map((privacy) => ({
      langId: 'en',
      privacy,
    }));
    const { vendors } = parse(withVendor({ urls, deviceStorageDisclosureUrl: 'javascript:alert(1)' }), [1]);
    assert.deepEqual(
      vendors[0]?.urls.map(({ policy }) => policy),
      [undefined, undefined, undefined, undefined, undefined],
    );
    assert.equal(vendors[0]?.storageUrl, undefined);
  });

  test('is read or rejected, whatever it contains, and never grants a vendor what it has not declared', () => {
    const vendor = fc.record(
      {
        id: fc.constant(1),
        name: fc.anything(),
        purposes: fc.anything(),
        legIntPurposes: fc.anything(),
        urls: fc.anything(),
        dataRetention: fc.anything(),
        cookieMaxAgeSeconds: fc.anything(),
      },
      { requiredKeys: ['id'] },
    );
    fc.assert(
      fc.property(vendor, fc.anything(), (given, terms) => {
        const { vendors } = parse(
          { ...createVendorList({ vendors: { 1: given } }), purposes: terms, features: terms },
          [1],
        );
        for (const { purposes } of vendors)
          assert.deepEqual(purposes, [...new Set((given.purposes as number[]) ?? [])]);
      }),
    );
  });
});
