import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type CatalogueFile,
  catalogue,
  checkCatalogue,
  createControlId,
  findCatalogueControl,
  findFramework,
  parseJson,
  readCatalogueFiles,
} from '../../controls/catalogue/catalogue.ts';
import { jsonSchemas } from '../../controls/catalogue/schema.ts';

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

  test('gives every framework its scope, boundary and claims, none of which is both allowed and prohibited', () => {
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
    assert.equal(findCatalogueControl(createControlId('ZZ-99')), undefined);
    assert.equal(findCatalogueControl('toString'), undefined);
    assert.equal(findFramework('constructor'), undefined);
  });
});

describe('the id of a control', () => {
  test('is a UUID version 5, the same on every installation and with every release', () => {
    assert.equal(createControlId('AC-01'), '43891607-851f-59ec-b0f6-a73ecdfb4aa3');
    assert.equal(findCatalogueControl(createControlId('AC-01'))?.code, 'AC-01');
    assert.equal(new Set(catalogue.controls.map(({ controlId }) => controlId)).size, catalogue.controls.length);
  });
});

describe('the JSON Schemas beside the catalogue', () => {
  for (const { fileName, text } of jsonSchemas)
    test(`${fileName} is current (node server/controls/catalogue/schema.ts writes it)`, () => {
      const file = join(import.meta.dirname, '../../controls/catalogue', fileName);
      assert.equal(readFileSync(file, 'utf8'), text);
    });
});

describe('an invalid catalogue is rejected with file and place', () => {
  const breaks: readonly (readonly [string, (files: Files) => void, RegExp])[] = [
    ['a missing field', ({ alpha }) => delete alpha.scopeSummary, /^frameworks\/alpha\.json: scopeSummary: /m],
    [
      'an unknown field',
      ({ access }) => Object.assign(access.controls[0], { owner: 'me' }),
      /^controls\/access\.json: controls\[0\]: .*"owner"/m,
    ],
    [
      'text with white space around it',
      ({ access }) => Object.assign(access.controls[1], { title: ' Padded' }),
      /^controls\/access\.json: controls\[1\]\.title: must be one line of text/m,
    ],
    [
      'text that is too long',
      ({ alpha }) => Object.assign(alpha, { name: 'x'.repeat(41) }),
      /^frameworks\/alpha\.json: name: /m,
    ],
    [
      'an empty text',
      ({ alpha }) => Object.assign(alpha, { description: '' }),
      /^frameworks\/alpha\.json: description: /m,
    ],
    [
      'an unknown cadence',
      ({ access }) => Object.assign(access.controls[0], { cadence: 'weekly' }),
      /^controls\/access\.json: controls\[0\]\.cadence: /m,
    ],
    [
      'a test without a cadence in a control that is event_driven',
      ({ access }) => Object.assign(access.controls[1], { cadence: 'event_driven' }),
      /^controls\/access\.json: controls\[1\]\.tests\[0\]\.cadence: is required/m,
    ],
    [
      'a test that is event_driven',
      ({ access }) => Object.assign(access.controls[1].tests[0], { cadence: 'event_driven' }),
      /^controls\/access\.json: controls\[1\]\.tests\[0\]\.cadence: /m,
    ],
    [
      'a code of the wrong form',
      ({ access }) => Object.assign(access.controls[0], { code: 'AC-1' }),
      /^controls\/access\.json: controls\[0\]\.code: must be two capital letters/m,
    ],
    [
      'a framework without prohibited claims',
      ({ alpha }) => Object.assign(alpha, { prohibitedClaims: [] }),
      /^frameworks\/alpha\.json: prohibitedClaims: /m,
    ],
    [
      'two frameworks with the same code',
      ({ alpha, beta }) => Object.assign(beta, { code: alpha.code }),
      /^frameworks\/beta\.json: code: "ALPHA" is already used in frameworks\/alpha\.json: code$/m,
    ],
    [
      'two frameworks with the same name',
      ({ alpha, beta }) => Object.assign(beta, { name: alpha.name.toUpperCase() }),
      /^frameworks\/beta\.json: name: ".*" is already used in frameworks\/alpha\.json: name$/m,
    ],
    [
      'a requirement listed twice',
      ({ alpha }) => alpha.requirements.push({ code: 'Art. 1', subject: 'Again' }),
      /^frameworks\/alpha\.json: requirements\[2\]\.code: "Art\. 1" is listed twice$/m,
    ],
    [
      'a claim that is allowed and prohibited',
      ({ alpha }) => alpha.prohibitedClaims.push(alpha.allowedClaim),
      /^frameworks\/alpha\.json: allowedClaim: is prohibited, too$/m,
    ],
    [
      'two domains with the same name',
      ({ access, logs }) => Object.assign(logs, { domain: access.domain }),
      /^controls\/logs\.json: domain: "Access" is already used in controls\/access\.json: domain$/m,
    ],
    [
      'a code that is listed twice',
      ({ access }) => Object.assign(access.controls[1], { code: 'AC-01' }),
      /^controls\/access\.json: controls\[1\]\.code: "AC-01" is listed twice$/m,
    ],
    [
      'a code that is also retired',
      ({ access }) => access.retired.push({ code: 'AC-02', title: 'Old', reason: 'None' }),
      /^controls\/access\.json: retired\[0\]\.code: "AC-02" is listed twice$/m,
    ],
    [
      'a control that was removed without being retired',
      ({ access }) => access.controls.shift(),
      /^controls\/access\.json: controls: AC-01 is missing: list it under "retired"$/m,
    ],
    [
      'a domain without any control',
      ({ logs }) => logs.controls.pop(),
      /^controls\/logs\.json: controls: must have a control or a retired one$/m,
    ],
    [
      'letters of another domain',
      ({ access }) => Object.assign(access.controls[1], { code: 'LM-02' }),
      /^controls\/access\.json: controls\[1\]\.code: "LM-02" must start with AC-$/m,
    ],
    [
      'two domains with the same letters',
      ({ logs }) => Object.assign(logs.controls[0], { code: 'AC-01' }),
      /^controls\/logs\.json: controls: "AC" is already used in controls\/access\.json: controls$/m,
    ],
    [
      'a title that two controls have',
      ({ access, logs }) => Object.assign(logs.controls[0], { title: access.controls[0].title }),
      /^controls\/logs\.json: controls\[0\]\.title: ".*" is already used in controls\/access\.json: controls\[0\]\.title$/m,
    ],
    [
      'a title that two tests of a control have',
      ({ access }) => access.controls[0].tests.push(access.controls[0].tests[0]),
      /^controls\/access\.json: controls\[0\]\.tests\[1\]\.title: /m,
    ],
    [
      'an example of evidence that is listed twice',
      ({ access }) => access.controls[0].evidence.push(access.controls[0].evidence[0]),
      /^controls\/access\.json: controls\[0\]\.evidence\[1\]: /m,
    ],
    [
      'a mapping to an unknown framework',
      ({ access }) => Object.assign(access.controls[0].mappings, { GAMMA: ['Art. 1'] }),
      /^controls\/access\.json: controls\[0\]\.mappings\.GAMMA: no file of frameworks\/ has this code$/m,
    ],
    [
      'a mapping to an unknown requirement',
      ({ access }) => access.controls[0].mappings.ALPHA.push('Art. 99'),
      /^controls\/access\.json: controls\[0\]\.mappings\.ALPHA\[1\]: "Art\. 99" is no requirement of frameworks\/alpha\.json$/m,
    ],
    [
      'a requirement that a control names twice',
      ({ access }) => access.controls[0].mappings.ALPHA.push('Art. 1'),
      /^controls\/access\.json: controls\[0\]\.mappings\.ALPHA\[1\]: "Art\. 1" is listed twice$/m,
    ],
    [
      'a control without any mapping',
      ({ access }) => Object.assign(access.controls[0], { mappings: {} }),
      /^controls\/access\.json: controls\[0\]\.mappings: must name a framework$/m,
    ],
    [
      'a framework that no control is mapped to',
      ({ logs }) => delete logs.controls[0].mappings.BETA,
      /^frameworks\/beta\.json: code: no control is mapped to BETA$/m,
    ],
  ];

  test('accepts a valid catalogue', () => {
    const { frameworks, controls } = check(newFiles());
    assert.deepEqual(
      frameworks.map(({ code }) => code),
      ['ALPHA', 'BETA'],
    );
    assert.deepEqual(
      controls.map(({ code, domain }) => [code, domain]),
      [
        ['AC-01', 'Access'],
        ['AC-02', 'Access'],
        ['LM-01', 'Logs'],
      ],
    );
  });

  test('ignores the order of the files', () => {
    const shipped = { frameworks: readCatalogueFiles('frameworks'), controls: readCatalogueFiles('controls') };
    const reversed = { frameworks: shipped.frameworks.toReversed(), controls: shipped.controls.toReversed() };
    assert.deepEqual(checkCatalogue(reversed), catalogue);
  });

  test('reports only the invalid fields of a file, not what follows from them', () => {
    const files = newFiles();
    delete files.alpha.code;
    assert.throws(() => check(files), {
      message: /^The control catalogue is invalid:\nframeworks\/alpha\.json: code: .*$/,
    });
  });

  for (const [name, spoil, message] of breaks)
    test(name, () => {
      const files = newFiles();
      spoil(files);
      assert.throws(() => check(files), { message });
    });

  test('accepts a number that was retired', () => {
    const files = newFiles();
    const [{ code, title }] = files.access.controls.splice(0, 1);
    files.access.retired.push({ code, title, reason: 'Replaced by AC-02.' });
    assert.deepEqual(
      check(files).controls.map((control) => control.code),
      ['AC-02', 'LM-01'],
    );
  });

  test('accepts a domain whose controls are all retired', () => {
    const files = newFiles();
    for (const { code, title } of files.access.controls.splice(0))
      files.access.retired.push({ code, title, reason: 'Not needed.' });
    assert.deepEqual(check(files).codeLetters, ['AC', 'LM']);
    assert.deepEqual(
      check(files).controls.map((control) => control.code),
      ['LM-01'],
    );
  });

  test('reports everything that is wrong at once', () => {
    const files = newFiles();
    files.access.controls[0].mappings.ALPHA.push('Art. 99');
    files.logs.controls[0].title = files.access.controls[1].title;
    assert.throws(() => check(files), { message: /controls\/logs\.json: .*\n.*controls\/access\.json: /s });
  });

  test('reports a file that is not valid JSON', () => {
    assert.throws(() => parseJson('frameworks/alpha.json', '{ "code": '), {
      message: /^frameworks\/alpha\.json: the file is not valid JSON: /,
    });
  });

  test('rejects each shipped file without its $schema', () => {
    const shipped = { frameworks: readCatalogueFiles('frameworks'), controls: readCatalogueFiles('controls') };
    assert.equal(checkCatalogue(shipped).controls.length, catalogue.controls.length);
    for (const kind of ['frameworks', 'controls'] as const)
      for (const [index, { name, content }] of shipped[kind].entries()) {
        const { $schema: _, ...rest } = content as Record<string, unknown>;
        const files = shipped[kind].with(index, { name, content: rest });
        assert.throws(
          () => checkCatalogue({ ...shipped, [kind]: files }),
          (error: Error) => error.message.includes(`\n${name}: $schema: `),
        );
      }
  });
});

function countRequirements(framework: string, prefix: string): number {
  const { requirements } = findFramework(framework) ?? { requirements: [] };
  return requirements.filter(({ code }) => code.startsWith(prefix)).length;
}

// biome-ignore lint/suspicious/noExplicitAny: broken on purpose, in ways that no type has.
type Files = Readonly<Record<'alpha' | 'beta' | 'access' | 'logs', any>>;

/** A catalogue that is as small as can be: two frameworks, three controls of two domains. */
function newFiles(): Files {
  return {
    alpha: newFramework('ALPHA'),
    beta: newFramework('BETA'),
    access: {
      $schema: '../controls.schema.json',
      domain: 'Access',
      controls: [newControl('AC-01', { ALPHA: ['Art. 1'] }), newControl('AC-02', { ALPHA: ['Art. 2'] })],
      retired: [],
    },
    logs: {
      $schema: '../controls.schema.json',
      domain: 'Logs',
      controls: [newControl('LM-01', { ALPHA: ['Art. 1'], BETA: ['Art. 2'] })],
      retired: [],
    },
  };
}

function newFramework(code: string) {
  return {
    $schema: '../framework.schema.json',
    code,
    name: `The ${code.toLowerCase()} rules`,
    description: 'Rules.',
    jurisdiction: null,
    versionLabel: null,
    category: null,
    scopeSummary: 'Everyone.',
    assuranceBoundary: 'None.',
    allowedClaim: 'We know the rules.',
    prohibitedClaims: ['We are the rules.'],
    requirements: [
      { code: 'Art. 1', subject: 'The first' },
      { code: 'Art. 2', subject: 'The second' },
    ],
  };
}

function newControl(code: string, mappings: Readonly<Record<string, readonly string[]>>) {
  return {
    code,
    title: `Title of ${code}`,
    description: 'It is done.',
    cadence: 'annual',
    guidance: 'Do it.',
    evidence: ['A note'],
    tests: [{ title: 'It was done', procedure: 'Look. Passed when it was done.' }],
    mappings,
  };
}

function check({ alpha, beta, access, logs }: Files) {
  const frameworks: readonly CatalogueFile[] = [
    { name: 'frameworks/alpha.json', content: alpha },
    { name: 'frameworks/beta.json', content: beta },
  ];
  const controls: readonly CatalogueFile[] = [
    { name: 'controls/access.json', content: access },
    { name: 'controls/logs.json', content: logs },
  ];
  return checkCatalogue({ frameworks, controls });
}
