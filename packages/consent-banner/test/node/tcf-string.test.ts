import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { GVL, TCModel, TCString } from '@iabtechlabtcf/core';
import fc from 'fast-check';
import { decideSignals } from '../../src/add-ons/tcf/decide-signals.ts';
import type { TcfSettings } from '../../src/add-ons/tcf/settings.ts';
import { type TcModel, writeTcString } from '../../src/add-ons/tcf/tc-string.ts';
import { parseVendorList } from '../../src/add-ons/tcf/vendor-list.ts';
import { createVendor, createVendorList } from '../tcf-vendor-list.ts';

// The IAB's own library decodes the strings: the result must equal the decision.

const DAY = 86_400_000;
const ids = (largest: number) => fc.uniqueArray(fc.integer({ min: 1, max: largest }), { maxLength: 60 }).map(sort);
const letters = fc.stringMatching(/^[a-z]{2}$/);

/** Single vendors far apart, and long ranges of them: each encoding is the shorter one in some cases. */
const vendorIds = fc.oneof(
  ids(900),
  ids(65_535),
  fc
    .tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 0, max: 400 }))
    .map(([first, count]) => Array.from({ length: count }, (_, index) => first + index)),
);

const models: fc.Arbitrary<TcModel> = fc.record({
  cmpId: fc.integer({ min: 2, max: 4095 }),
  cmpVersion: fc.integer({ min: 0, max: 4095 }),
  language: letters,
  publisherCountry: letters.map((text) => text.toUpperCase()),
  useNonStandardTexts: fc.boolean(),
  vendorListVersion: fc.integer({ min: 1, max: 4095 }),
  policyVersion: fc.integer({ min: 1, max: 63 }),
  updatedAt: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2060, 0) }),
  purposeConsents: ids(24),
  purposeInterests: ids(24),
  specialFeatures: ids(12),
  vendorConsents: vendorIds,
  vendorInterests: vendorIds,
  disclosedVendors: vendorIds,
});

function sort(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((one, other) => one - other);
}

/** The ids that the library decodes as set. */
function list(vector: { forEach(read: (isOn: boolean, id: number) => void): void }): readonly number[] {
  const on: number[] = [];
  vector.forEach((isOn, id) => {
    if (isOn) on.push(id);
  });
  return on;
}

describe('a TC string', () => {
  test('decodes in the IAB library to its input', () => {
    fc.assert(
      fc.property(models, (model) => {
        const { updatedAt, ...rest } = model;
        const read = TCString.decode(writeTcString(model));
        const day = Math.floor(updatedAt / DAY) * DAY;
        assert.deepEqual(
          {
            cmpId: read.cmpId,
            cmpVersion: read.cmpVersion,
            language: read.consentLanguage.toLowerCase(),
            publisherCountry: read.publisherCountryCode,
            useNonStandardTexts: read.useNonStandardTexts,
            vendorListVersion: read.vendorListVersion,
            policyVersion: Number(read.policyVersion),
            purposeConsents: list(read.purposeConsents),
            purposeInterests: list(read.purposeLegitimateInterests),
            specialFeatures: list(read.specialFeatureOptins),
            vendorConsents: list(read.vendorConsents),
            vendorInterests: list(read.vendorLegitimateInterests),
            disclosedVendors: list(read.vendorsDisclosed),
            dates: [read.created, read.lastUpdated].map(Number),
          },
          { ...rest, dates: [day, day] },
        );
        assert.equal(read.isServiceSpecific, true);
        assert.equal(read.purposeOneTreatment, false);
        assert.equal(read.publisherRestrictions.isEmpty(), true);
      }),
    );
  });

  test('is never longer than the one that the library encodes for the same vendors', () => {
    const entries = Array.from({ length: 300 }, (_, index) => createVendor(index + 1, 'Any'));
    const vendors = Object.fromEntries(entries.map((vendor) => [String(vendor.id), vendor]));
    const gvl = new GVL(createVendorList({ vendors }) as never);
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 300 })).map(sort);
    fc.assert(
      fc.property(models, some, some, (given, vendorConsents, disclosedVendors) => {
        const theirs = new TCModel(gvl);
        Object.assign(theirs, { cmpId: given.cmpId, publisherCountryCode: given.publisherCountry });
        theirs.vendorConsents.set([...vendorConsents]);
        theirs.vendorsDisclosed.set([...disclosedVendors]);
        const [core = '', disclosed = ''] = TCString.encode(theirs).split('.');
        const ours = writeTcString({ ...given, vendorConsents, vendorInterests: [], disclosedVendors }).split('.');
        assert.ok((ours[0] ?? '').length <= core.length && (ours[1] ?? '').length <= disclosed.length);
        assert.equal(ours.length, 2);
      }),
      { numRuns: 50 },
    );
  });
});

const noticeKeys = ['marketing', 'statistics', 'location'];

interface Situation {
  readonly settings: Pick<TcfSettings, 'purposes' | 'specialFeatures'>;
  readonly decided: Readonly<Record<string, boolean>> | null;
  readonly refused: readonly number[];
  readonly objected: readonly number[];
  readonly disclosed: readonly number[];
  readonly hasPrivacySignal: boolean;
}

const mappings = (largest: number) =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: largest }), fc.subarray(noticeKeys, { minLength: 1 })), {
      maxLength: largest,
    })
    .map((entries) => new Map<number, readonly string[]>(entries));

const situations: fc.Arbitrary<Situation> = fc.record({
  settings: fc.record({ purposes: mappings(11), specialFeatures: mappings(2) }),
  decided: fc.option(fc.dictionary(fc.constantFrom(...noticeKeys), fc.boolean())),
  refused: ids(6),
  objected: ids(6),
  disclosed: ids(6),
  hasPrivacySignal: fc.boolean(),
});

describe('the signals of a decision', () => {
  const vendorList = parseVendorList(createVendorList(), [1, 2, 3, 4, 5, 6], () => {});
  const decide = ({ refused, objected, ...rest }: Situation) =>
    decideSignals({ list: vendorList, choices: { refused, objected }, ...rest });

  test('contain no consent before a decision', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { purposeConsents, vendorConsents, specialFeatures } = decide({ ...situation, decided: null });
        assert.deepEqual([purposeConsents, vendorConsents, specialFeatures], [[], [], []]);
      }),
    );
  });

  test('contain nothing while no vendor of the list was disclosed to the visitor', () => {
    fc.assert(
      fc.property(situations, fc.subarray([6, 77]), (situation, disclosed) => {
        assert.deepEqual(Object.values(decide({ ...situation, disclosed })), [[], [], [], [], [], []]);
      }),
    );
  });

  test('contain consent for exactly the TCF purposes whose mapped purposes are granted, once a vendor was disclosed', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { settings, decided } = situation;
        const signals = decide({ ...situation, disclosed: [...situation.disclosed, 4] });
        const listGranted = (mapping: ReadonlyMap<number, readonly string[]>) =>
          sort([...mapping].flatMap(([id, keys]) => (keys.every((key) => decided?.[key] === true) ? id : [])));
        assert.deepEqual(signals.purposeConsents, listGranted(settings.purposes));
        assert.deepEqual(signals.specialFeatures, listGranted(settings.specialFeatures));
      }),
    );
  });

  test('give a vendor consent only if it was disclosed and not refused, and each of its purposes is granted', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const signals = decide(situation);
        for (const vendor of vendorList.vendors) {
          const isDue =
            situation.disclosed.includes(vendor.id) &&
            !situation.refused.includes(vendor.id) &&
            vendor.purposes.length > 0 &&
            vendor.purposes.every((id) => signals.purposeConsents.includes(id));
          assert.equal(signals.vendorConsents.includes(vendor.id), isDue, vendor.name);
        }
      }),
    );
  });

  test('contain a legitimate interest only for disclosed vendors, and never against an objection', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { decided, hasPrivacySignal, settings } = situation;
        const signals = decide(situation);
        for (const id of signals.vendorInterests) {
          assert.ok(situation.disclosed.includes(id) && !situation.objected.includes(id));
        }
        for (const id of signals.purposeInterests) {
          assert.ok(![1, 3, 4, 5, 6].includes(id), 'policy 2.2');
          if (decided) for (const key of settings.purposes.get(id) ?? ['']) assert.equal(decided[key], true);
          else assert.equal(hasPrivacySignal, false, 'Global Privacy Control objects');
        }
      }),
    );
  });

  test('disclose the vendors that were disclosed to the visitor and are in the list', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const known = vendorList.vendors.map(({ id }) => id);
        assert.deepEqual(
          decide(situation).disclosedVendors,
          known.filter((id) => situation.disclosed.includes(id)),
        );
      }),
    );
  });

  test('are accepted unchanged by the IAB library', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const signals = decide(situation);
        const model = new TCModel(new GVL(structuredClone(createVendorList()) as never));
        Object.assign(model, { cmpId: 31, cmpVersion: 1, publisherCountryCode: 'DE' });
        model.vendorConsents.set([...signals.vendorConsents]);
        model.vendorLegitimateInterests.set([...signals.vendorInterests]);
        model.purposeLegitimateInterests.set([...signals.purposeInterests]);
        const read = TCString.decode(TCString.encode(model));
        assert.deepEqual(list(read.vendorConsents), signals.vendorConsents);
        assert.deepEqual(list(read.vendorLegitimateInterests), signals.vendorInterests);
        assert.deepEqual(list(read.purposeLegitimateInterests), signals.purposeInterests);
      }),
    );
  });
});
