import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalogue, type CatalogueControl, type CatalogueFile, checkCatalogue, type Framework } from './check.ts';

export type { CatalogueControl, Framework } from './check.ts';

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

/** Parses a file's JSON. @throws {Error} whose message names the file. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: the file is not valid JSON: ${(error as Error).message}`);
  }
}

/** The catalogue that ships with the server. The server does not start with invalid files. */
export const catalogue: Catalogue = checkCatalogue({
  frameworks: readCatalogueFiles('frameworks'),
  controls: readCatalogueFiles('controls'),
});

const frameworks = new Map(catalogue.frameworks.map((framework) => [framework.code, framework]));
const controls = new Map(catalogue.controls.map((control) => [control.controlId, control]));

/** Finds a framework by its code. */
export function findFramework(code: string): Framework | undefined {
  return frameworks.get(code);
}

/** Finds a control by its `controlId`; undefined also for a retired one. */
export function findCatalogueControl(controlId: string): CatalogueControl | undefined {
  return controls.get(controlId);
}
