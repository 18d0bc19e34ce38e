import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CatalogueFile, checkCatalogue } from './check.ts';
import type { Catalogue, CatalogueControl, Framework } from './entry.ts';

export type { CatalogueControl, Framework } from './entry.ts';

/** Reads the shipped files of one kind, in the order of their names. */
export function readCatalogueFiles(folder: 'frameworks' | 'controls'): readonly CatalogueFile[] {
  return readdirSync(join(import.meta.dirname, folder))
    .filter((fileName) => fileName.endsWith('.json'))
    .sort()
    .map((fileName) => {
      const name = `${folder}/${fileName}`;
      return { name, content: parseJson(name, readFileSync(join(import.meta.dirname, name), 'utf8')) };
    });
}

/** Parses a file's JSON; an error names the file. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: the file is no JSON: ${(error as Error).message}`);
  }
}

/** The catalogue that ships with the server. Broken files keep it from starting. */
export const catalogue: Catalogue = checkCatalogue({
  frameworks: readCatalogueFiles('frameworks'),
  controls: readCatalogueFiles('controls'),
});

const frameworks = new Map(catalogue.frameworks.map((framework) => [framework.code, framework]));
const controls = new Map(catalogue.controls.map((control) => [control.controlId, control]));
const controlsByCode = new Map(catalogue.controls.map((control) => [control.code, control]));

/** The framework of a code. */
export function findFramework(code: string): Framework | undefined {
  return frameworks.get(code);
}

/** The control of an id; undefined also for one that was retired. */
export function findCatalogueControl(controlId: string): CatalogueControl | undefined {
  return controls.get(controlId);
}

/** The control of a code, e.g. AC-01. */
export function findCatalogueControlByCode(code: string): CatalogueControl | undefined {
  return controlsByCode.get(code);
}
