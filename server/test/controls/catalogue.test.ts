import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import type { z } from 'zod';
import { catalogueSchemas } from '../../../tools/types/write-catalogue-schemas.ts';
import { catalogue, findCatalogueControl, findFramework } from '../../controls/catalogue/catalogue.ts';
import { ControlsFile, FrameworkFile } from '../../controls/catalogue/schema.ts';

/** How each source numbers its requirements. */
const requirementPatterns: Readonly<Record<string, RegExp>> = {
  CCPA: /^(§ 1798\.\d{2,3}(\.\d{1,2})?(\([a-z]\))?|11 CCR § 7[0-2]\d\d)$/,
  GDPR: /^Art\. ([1-9]|[1-9]\d)(\(\d{1,2}\)(\([a-f]\))?)?$/,
  ISO27001:
    /^(Clause ([4-9]|10)(\.\d){1,2}|A\.5\.([1-9]|[12]\d|3[0-7])|A\.6\.[1-8]|A\.7\.([1-9]|1[0-4])|A\.8\.([1-9]|[12]\d|3[0-4]))$/,
  NDPA: /^(s\. ([1-9]|[1-5]\d|6[0-6])|GAID Art\. ([1-9]|[1-4]\d|5[0-2]))$/,
  NISTCSF:
    /^(GV\.(OC|RM|RR|PO|OV|SC)|ID\.(AM|RA|IM)|PR\.(AA|AT|DS|PS|IR)|DE\.(CM|AE)|RS\.(MA|AN|CO|MI)|RC\.(RP|CO))-\d\d$/,
  SOC2: /^(CC[1-9]\.[1-8]|A1\.[1-3]|C1\.[12]|PI1\.[1-5]|P[1-8]\.[1-7])$/,
};

describe('the shipped catalogue', () => {
  test('has at least 60 controls, for the six frameworks of the product', () => {
    assert.ok(catalogue.controls.length >= 60);
    assert.deepEqual(
      catalogue.frameworks.map(({ code }) => code),
      ['CCPA', 'GDPR', 'ISO27001', 'NDPA', 'NISTCSF', 'SOC2'],
    );
  });

  test('maps at least 25 controls to each framework, and each control to at least two', () => {
    for (const { code } of catalogue.frameworks) {
      const mapped = catalogue.controls.filter(({ mappings }) => code in mappings);
      assert.ok(mapped.length >= 25, `${code}: ${mapped.length}`);
    }
    for (const { code, mappings } of catalogue.controls) assert.ok(Object.keys(mappings).length >= 2, code);
  });

  test('gives every framework its scope, boundary and claims', () => {
    for (const framework of catalogue.frameworks) {
      assert.ok(framework.scopeSummary.length > 40, framework.code);
      assert.ok(framework.assuranceBoundary.length > 40, framework.code);
      assert.ok(framework.prohibitedClaims.length >= 3, framework.code);
      assert.doesNotMatch(framework.allowedClaim, /certified|compliant|approved|attested|guarantee/i);
      assert.ok(
        framework.prohibitedClaims.some((claim) => /certified/i.test(claim)),
        framework.code,
      );
    }
  });

  test('numbers requirements as their sources do', () => {
    assert.deepEqual(
      Object.keys(requirementPatterns),
      catalogue.frameworks.map(({ code }) => code),
    );
    for (const { code, requirements } of catalogue.frameworks)
      for (const requirement of requirements)
        assert.match(requirement.code, requirementPatterns[code] as RegExp, `${code} ${requirement.code}`);
  });

  test('lists the whole of Annex A, of the Cybersecurity Framework and of the Trust Services Criteria', () => {
    assert.equal(countRequirements('ISO27001', 'A.'), 93);
    assert.equal(countRequirements('ISO27001', 'Clause '), 25);
    assert.equal(countRequirements('NISTCSF', ''), 106);
    assert.equal(countRequirements('SOC2', 'CC'), 33);
    assert.equal(countRequirements('SOC2', ''), 61);
  });

  test('states in each test of a control when it is passed', () => {
    for (const { code, tests } of catalogue.controls)
      for (const { procedure } of tests) assert.match(procedure, /\bPassed when\b/, code);
  });

  test('gives each test of an event_driven control a cadence', () => {
    const tests = catalogue.controls
      .filter(({ cadence }) => cadence === 'event_driven')
      .flatMap((control) => control.tests);
    assert.ok(tests.length > 10);
    for (const { title, cadence } of tests) assert.ok(cadence !== undefined, title);
  });

  test('lists the letters that its codes start with', () => {
    const letters = new Set(catalogue.controls.map(({ code }) => code.slice(0, 2)));
    assert.deepEqual(catalogue.codeLetters, [...letters].sort());
  });

  test('orders frameworks and controls by their codes, and mappings by framework', () => {
    for (const codes of [
      catalogue.frameworks.map(({ code }) => code),
      catalogue.controls.map(({ code }) => code),
      ...catalogue.controls.map(({ mappings }) => Object.keys(mappings)),
    ])
      assert.deepEqual(codes, [...codes].sort());
  });

  test('finds controls by controlId and frameworks by code', () => {
    for (const control of catalogue.controls) assert.equal(findCatalogueControl(control.controlId), control);
    for (const framework of catalogue.frameworks) assert.equal(findFramework(framework.code), framework);
    assert.equal(findCatalogueControl('00000000-0000-5000-8000-000000000000'), undefined);
    assert.equal(findCatalogueControl('toString'), undefined);
    assert.equal(findFramework('constructor'), undefined);
  });
});

describe('the id of a control', () => {
  test('is a UUID version 5, the same on every installation and with every release', () => {
    assert.equal(findCatalogueControl('43891607-851f-59ec-b0f6-a73ecdfb4aa3')?.code, 'AC-01');
    assert.equal(new Set(catalogue.controls.map(({ controlId }) => controlId)).size, catalogue.controls.length);
  });
});

describe('the JSON Schemas beside the catalogue', () => {
  for (const { file, text } of catalogueSchemas)
    test(`${basename(file.pathname)} is current (npm run types writes it)`, () =>
      assert.equal(readFileSync(file, 'utf8'), text));
});

describe('the files of the catalogue', () => {
  const files = { frameworks: readFiles('frameworks', FrameworkFile), controls: readFiles('controls', ControlsFile) };
  const domains = files.controls.map(({ domain, controls, retired }) => {
    const codes = [...controls, ...retired].map(({ code }) => code);
    return { domain, codes, letters: codes[0]?.slice(0, 2) };
  });
  const controls = files.controls.flatMap((file) => file.controls);

  test('use each code, name, title and pair of letters once', () => {
    assertDistinct(files.frameworks.map(({ code }) => code));
    assertDistinct(files.frameworks.map(({ name }) => name));
    assertDistinct(domains.map(({ domain }) => domain));
    assertDistinct(domains.map(({ letters }) => letters));
    assertDistinct(domains.flatMap(({ codes }) => codes));
    assertDistinct(controls.map(({ title }) => title));
  });

  test('number the controls of a domain without a gap: codes are never reused, so a removed control is listed as retired', () => {
    for (const { domain, codes, letters } of domains) {
      assert.ok(codes.length > 0, domain);
      const numbers = codes.map((_, index) => `${letters}-${String(index + 1).padStart(2, '0')}`);
      assert.deepEqual(codes.toSorted(), numbers, domain);
    }
  });

  test('list no requirement, claim, example of evidence, test or mapping twice', () => {
    for (const { requirements, prohibitedClaims, allowedClaim } of files.frameworks) {
      assertDistinct(requirements.map(({ code }) => code));
      assertDistinct([allowedClaim, ...prohibitedClaims]);
    }
    for (const { evidence, tests, mappings } of controls) {
      assertDistinct(evidence);
      assertDistinct(tests.map(({ title }) => title));
      for (const requirements of Object.values(mappings)) assertDistinct(requirements);
    }
  });

  test('map controls only to requirements that are listed', () => {
    for (const { code, mappings } of controls)
      for (const [framework, requirements] of Object.entries(mappings)) {
        const listed = new Set(findFramework(framework)?.requirements.map((requirement) => requirement.code));
        for (const requirement of requirements)
          assert.ok(listed.has(requirement), `${code}: ${framework} ${requirement}`);
      }
  });

  test('have texts without white space around them, and nothing that the schema does not know', () => {
    const [file] = files.controls as [ControlsFile];
    const parse = (change: object) => ControlsFile.safeParse({ ...file, ...change }).success;
    assert.equal(parse({}), true);
    assert.equal(parse({ domain: ' Padded' }), false);
    assert.equal(parse({ domain: '' }), false);
    assert.equal(parse({ domain: 'x'.repeat(61) }), false);
    assert.equal(parse({ owner: 'me' }), false);
    assert.equal(parse({ $schema: undefined }), false);
  });
});

/** Case does not make a difference. */
function assertDistinct(values: readonly (string | undefined)[]): void {
  const seen = new Set<string | undefined>();
  for (const value of values) {
    assert.ok(!seen.has(value?.toLowerCase()), `"${value}" is listed twice`);
    seen.add(value?.toLowerCase());
  }
}

function readFiles<Content extends z.ZodType>(folder: string, content: Content): readonly z.output<Content>[] {
  const path = join(import.meta.dirname, '../../controls/catalogue', folder);
  const names = readdirSync(path).filter((name) => name.endsWith('.json'));
  return names.map((name) => content.parse(JSON.parse(readFileSync(join(path, name), 'utf8'))));
}

function countRequirements(framework: string, prefix: string): number {
  const { requirements } = findFramework(framework) ?? { requirements: [] };
  return requirements.filter(({ code }) => code.startsWith(prefix)).length;
}
