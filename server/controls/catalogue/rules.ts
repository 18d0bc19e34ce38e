import type { ControlsFile, FrameworkFile } from './schema.ts';

/** A file and what it says, its form checked. */
export type Named<Content> = { readonly name: string; readonly content: Content };

/** Takes what is wrong at a place of a file. */
export type Report = (file: string, place: string, issue: string) => void;

/** Reports every value that was there before, with the place of the first. */
function reportRepeated(
  places: readonly { readonly file: string; readonly place: string; readonly value: string }[],
  report: Report,
): void {
  const seen = new Map<string, string>();
  for (const { file, place, value } of places) {
    const key = value.toLowerCase();
    const first = seen.get(key);
    if (first === undefined) seen.set(key, `${file}: ${place}`);
    else report(file, place, `"${value}" stands already in ${first}`);
  }
}

/** Codes, names, requirements and claims of frameworks stand once. */
export function checkFrameworks(frameworks: readonly Named<FrameworkFile>[], report: Report): void {
  for (const key of ['code', 'name'] as const)
    reportRepeated(
      frameworks.map(({ name, content }) => ({ file: name, place: key, value: content[key] })),
      report,
    );
  for (const { name: file, content } of frameworks) {
    const codes = content.requirements.map(({ code }, index) => ({
      file,
      place: `requirements[${index}].code`,
      value: code,
    }));
    reportRepeated(codes, report);
    const claims = content.prohibitedClaims.map((claim, index) => ({
      file,
      place: `prohibitedClaims[${index}]`,
      value: claim,
    }));
    reportRepeated([{ file, place: 'allowedClaim', value: content.allowedClaim }, ...claims], report);
  }
}

/** Codes are names for good: each once, one pair of letters for a domain, and no number that was given away unnoticed. */
export function checkCodes(domains: readonly Named<ControlsFile>[], report: Report): void {
  const places = domains.flatMap(({ name: file, content }) => [
    ...content.controls.map(({ code }, index) => ({ file, place: `controls[${index}].code`, value: code })),
    ...content.retired.map(({ code }, index) => ({ file, place: `retired[${index}].code`, value: code })),
  ]);
  reportRepeated(places, report);
  const owners = new Map<string, string>();
  for (const { name: file, content } of domains) {
    const [first, ...others] = places.filter((one) => one.file === file);
    if (first === undefined) {
      report(file, 'controls', 'must have a control, or a retired one beside it');
      continue;
    }
    const letters = first.value.slice(0, 2);
    const owner = owners.get(letters);
    if (owner !== undefined) report(file, first.place, `the letters ${letters} belong to ${owner}`);
    owners.set(letters, file);
    for (const { place, value } of others)
      if (!value.startsWith(`${letters}-`)) report(file, place, `"${value}" must begin with ${letters}-`);
    reportGaps(file, [...content.controls, ...content.retired], report);
  }
}

/** A number below the highest that is neither a control nor retired: somebody took a control out and forgot to say so. */
function reportGaps(file: string, controls: readonly { readonly code: string }[], report: Report): void {
  const numbers = new Set(controls.map(({ code }) => Number(code.slice(3))));
  const highest = Math.max(...numbers);
  for (let number = 1; number < highest; number += 1)
    if (!numbers.has(number))
      report(file, 'controls', `number ${String(number).padStart(2, '0')} is missing: list it under "retired"`);
}

/** Domains and titles are told apart by their texts. */
export function checkTitles(domains: readonly Named<ControlsFile>[], report: Report): void {
  reportRepeated(
    domains.map(({ name, content }) => ({ file: name, place: 'domain', value: content.domain })),
    report,
  );
  const controls = domains.flatMap(({ name: file, content }) =>
    content.controls.map((control, index) => ({ file, place: `controls[${index}]`, control })),
  );
  reportRepeated(
    controls.map(({ file, place, control }) => ({ file, place: `${place}.title`, value: control.title })),
    report,
  );
  for (const { file, place, control } of controls) {
    const tests = control.tests.map(({ title }, index) => ({
      file,
      place: `${place}.tests[${index}].title`,
      value: title,
    }));
    reportRepeated(tests, report);
    const evidence = control.evidence.map((value, index) => ({ file, place: `${place}.evidence[${index}]`, value }));
    reportRepeated(evidence, report);
  }
}

/** Where only an event makes a control due, its tests say themselves how often they run: one result would count for ever. */
export function checkTests(domains: readonly Named<ControlsFile>[], report: Report): void {
  for (const { name: file, content } of domains)
    content.controls.forEach(({ cadence, tests }, index) => {
      if (cadence !== 'event_driven') return;
      tests.forEach((test, number) => {
        if (test.cadence === undefined)
          report(file, `controls[${index}].tests[${number}].cadence`, 'is needed in a control that is event_driven');
      });
    });
}

/** Controls name frameworks and requirements that there are, and every framework is named. */
export function checkMappings(
  frameworks: readonly Named<FrameworkFile>[],
  domains: readonly Named<ControlsFile>[],
  report: Report,
): void {
  const unmapped = new Map(frameworks.map(({ name, content }) => [content.code, name]));
  for (const { name: file, content } of domains)
    content.controls.forEach(({ mappings }, index) => {
      const place = `controls[${index}].mappings`;
      if (Object.keys(mappings).length === 0) report(file, place, 'must name a framework');
      for (const [code, requirements] of Object.entries(mappings)) {
        const framework = frameworks.find((one) => one.content.code === code);
        if (framework === undefined) report(file, `${place}.${code}`, 'no file of frameworks/ has this code');
        else reportUnlisted({ file, place: `${place}.${code}`, requirements, framework }, report);
        unmapped.delete(code);
      }
    });
  for (const [code, file] of unmapped) report(file, 'code', `no control is mapped to ${code}`);
}

function reportUnlisted(
  mapping: {
    readonly file: string;
    readonly place: string;
    readonly requirements: readonly string[];
    readonly framework: Named<FrameworkFile>;
  },
  report: Report,
): void {
  const { file, requirements, framework } = mapping;
  const places = requirements.map((value, index) => ({ file, place: `${mapping.place}[${index}]`, value }));
  reportRepeated(places, report);
  const listed = new Set(framework.content.requirements.map(({ code }) => code));
  for (const { place, value } of places)
    if (!listed.has(value)) report(file, place, `"${value}" is no requirement of ${framework.name}`);
}
