import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GppModel } from '@iabgpp/cmpapi';
import fc from 'fast-check';
import { writeGppString, writeSections } from '../../src/add-ons/gpp/encode.ts';
import { type GppOptions, readSettings, rightNames, sections } from '../../src/add-ons/gpp/gpp-settings.ts';

// Our strings are read by the library that IAB publishes, which recipients use.

const keys = ['marketing', 'statistics', 'profiling'];
const optOuts = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...rightNames)), { selector: String, maxLength: 8 })
  .map((pairs) => pairs.map(([key, right]) => `${key}: ${right}`).join('; '));
const options: fc.Arbitrary<GppOptions> = fc.record({
  sections: fc.shuffledSubarray(Object.keys(sections), { minLength: 1 }).map((names) => names.join(' ')),
  optOuts,
  notApplicable: fc.subarray([...rightNames]).map((names) => names.join(' ')),
  mspa: fc.constantFrom('no', 'opt-out-option-mode', 'service-provider-mode'),
  knownChild: fc.constantFrom('yes', 'no'),
  usnatVersion: fc.constantFrom('1', '2'),
});
const purposes = fc.dictionary(fc.constantFrom(...keys), fc.boolean());

function write(given: GppOptions, granted: Readonly<Record<string, boolean>>, hasGpc: boolean) {
  const { error } = console;
  console.error = () => {}; // Rights without a mapping are logged, which is not tested here.
  const written = writeSections(readSettings(given), granted, hasGpc);
  console.error = error;
  return { written, text: writeGppString(written) };
}

describe('a GPP string', () => {
  test('decodes in the reference library to what the API reports, field by field', () => {
    fc.assert(
      fc.property(options, purposes, fc.boolean(), (given, granted, hasGpc) => {
        const { written, text } = write(given, granted, hasGpc);
        const model = new GppModel(text);
        assert.deepEqual(
          model.getSectionIds(),
          written.map(({ id }) => id),
        );
        for (const { name, subSections } of written) {
          for (const [field, value] of Object.entries(Object.assign({}, ...subSections))) {
            const known = field === 'SubsectionType' ? 'GpcSegmentType' : field;
            assert.deepEqual(model.getFieldValue(name, known), value, `${name}.${field}`);
          }
        }
      }),
    );
  });

  test('equals the string that the reference library encodes from the same fields', () => {
    fc.assert(
      fc.property(options, purposes, fc.boolean(), (given, granted, hasGpc) => {
        const { written, text } = write(given, granted, hasGpc);
        const model = new GppModel();
        for (const { name, subSections } of written) {
          const { SubsectionType, ...fields } = Object.assign({}, ...subSections);
          for (const [field, value] of Object.entries(fields)) model.setFieldValue(name, field, value);
        }
        assert.equal(model.encode(), text);
      }),
    );
  });

  test('opts out of every right that no granted purpose allows, and of no other', () => {
    fc.assert(
      fc.property(options, purposes, (given, granted) => {
        const model = new GppModel(write(given, granted, false).text);
        const allows = (right: string): boolean => {
          const needed = keys.filter((key) => given.optOuts?.includes(`${key}: ${right}`));
          return needed.length > 0 && needed.every((key) => granted[key] === true);
        };
        const fields = {
          SaleOptOut: 'sale',
          SharingOptOut: 'sharing',
          TargetedAdvertisingOptOut: 'targeted-advertising',
        };
        for (const name of given.sections?.split(' ') ?? []) {
          for (const [field, right] of Object.entries(fields)) {
            if (!model.hasField(name, field)) continue;
            assert.equal(model.getFieldValue(name, field) === 2, allows(right), `${name}.${field}`);
          }
        }
      }),
    );
  });

  test('never allows more with fewer grants', () => {
    fc.assert(
      fc.property(options, purposes, fc.constantFrom(...keys), (given, granted, key) => {
        const [more, less] = [granted, { ...granted, [key]: false }].map((one) => write(given, one, false).written);
        for (const [at, { subSections }] of (less ?? []).entries()) {
          for (const [field, value] of Object.entries(subSections[0] ?? {})) {
            if (!/OptOut$|Processing$|Consents?$/.test(field)) continue;
            const before = more?.[at]?.subSections[0]?.[field];
            assert.ok(
              [value].flat().every((one, place) => Number(one) <= Number([before].flat()[place])),
              field,
            );
          }
        }
      }),
    );
  });

  test('before a decision equals that of a visitor who refused', () => {
    fc.assert(
      fc.property(options, fc.boolean(), (given, hasGpc) => {
        const refused = Object.fromEntries(keys.map((key) => [key, false]));
        assert.equal(write(given, {}, hasGpc).text, write(given, refused, hasGpc).text);
      }),
    );
  });
});
