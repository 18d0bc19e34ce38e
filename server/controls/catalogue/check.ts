import type { z } from 'zod';
import { createControlId } from './control-id.ts';
import type { Catalogue } from './entry.ts';
import {
  checkCodes,
  checkFrameworks,
  checkMappings,
  checkTests,
  checkTitles,
  type Named,
  type Report,
} from './rules.ts';
import { ControlsFile, FrameworkFile } from './schema.ts';

/** A file of the catalogue as it was read: its name below the catalogue's folder, and what its JSON says. */
export type CatalogueFile = { readonly name: string; readonly content: unknown };

/**
 * Checks all files together and makes the catalogue of them.
 * @throws an Error whose message names the file and the place of everything that is wrong
 */
export function checkCatalogue(files: {
  readonly frameworks: readonly CatalogueFile[];
  readonly controls: readonly CatalogueFile[];
}): Catalogue {
  const problems: string[] = [];
  const report: Report = (file, place, issue) => problems.push(`${file}: ${place}: ${issue}`);
  const frameworks = files.frameworks.flatMap((file) => parseFile(file, FrameworkFile, report));
  const domains = files.controls.flatMap((file) => parseFile(file, ControlsFile, report));
  // What a broken file would have said is unknown: further findings could be wrong.
  if (problems.length === 0) {
    checkFrameworks(frameworks, report);
    checkCodes(domains, report);
    checkTitles(domains, report);
    checkTests(domains, report);
    checkMappings(frameworks, domains, report);
  }
  if (problems.length > 0) throw new Error(`The control catalogue is broken:\n${problems.join('\n')}`);
  return assemble(frameworks, domains);
}

function parseFile<Content>(file: CatalogueFile, schema: z.ZodType<Content>, report: Report): Named<Content>[] {
  const result = schema.safeParse(file.content);
  if (result.success) return [{ name: file.name, content: result.data }];
  for (const { path, message } of result.error.issues) report(file.name, writePlace(path), message);
  return [];
}

/** A place as a reader of JSON names it: `controls[3].mappings.GDPR[0]`. */
function writePlace(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return place.replace(/^\./, '') || 'the file';
}

function assemble(frameworks: readonly Named<FrameworkFile>[], domains: readonly Named<ControlsFile>[]): Catalogue {
  const ordered = frameworks.map(({ content: { $schema, ...framework } }) => framework).sort(byCode);
  const controls = domains.flatMap(({ content }) =>
    content.controls.map(({ mappings, ...control }) => ({
      controlId: createControlId(control.code),
      ...control,
      domain: content.domain,
      mappings: Object.fromEntries(
        ordered.flatMap(({ code }) => (mappings[code] === undefined ? [] : [[code, mappings[code]]])),
      ),
    })),
  );
  const codeLetters = domains.flatMap(({ content }) =>
    [...content.controls, ...content.retired].slice(0, 1).map(({ code }) => code.slice(0, 2)),
  );
  return { codeLetters: codeLetters.sort(), frameworks: ordered, controls: controls.sort(byCode) };
}

function byCode(one: { readonly code: string }, other: { readonly code: string }): number {
  return one.code < other.code ? -1 : 1;
}
