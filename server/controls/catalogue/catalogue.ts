import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlsFile, FrameworkFile } from './schema.ts';

/** A framework that controls are mapped to. */
export type Framework = Readonly<(typeof catalogue)['frameworks'][number]>;

/** A control of the catalogue, as every tenant starts with it. */
export type CatalogueControl = Readonly<(typeof catalogue)['controls'][number]>;

/** Frameworks and controls are in the order of their codes, and mappings in the order of the frameworks. */
function readCatalogue() {
  const domains = readFiles<ControlsFile>('controls');
  const ordered = readFiles<FrameworkFile>('frameworks')
    .map(({ $schema, ...framework }) => framework)
    .sort(byCode);
  const controls = domains.flatMap(({ domain, controls }) =>
    controls.map(({ mappings, ...control }) => ({
      controlId: createControlId(control.code),
      ...control,
      domain,
      mappings: Object.fromEntries(ordered.flatMap(({ code }) => (mappings[code] ? [[code, mappings[code]]] : []))),
    })),
  );
  // Those of retired controls included.
  const codeLetters = domains
    .map(({ controls, retired }) => [...controls, ...(retired ?? [])][0]?.code.slice(0, 2) ?? '')
    .sort();
  return { codeLetters, frameworks: ordered, controls: controls.sort(byCode) };
}

/** Sorts by unique codes. */
export function byCode(one: { readonly code: string }, other: { readonly code: string }): number {
  return one.code < other.code ? -1 : 1;
}

/** The namespace of our control codes. Changing it would change the id of every control of every installation. */
const namespace = Buffer.from('2195f33cc2724525abca1e349cbe1f63', 'hex');

/**
 * The id of a control, which follows from the code only: a UUID version 5, SHA-1 over a namespace and the code (RFC 9562
 * section 5.5).
 */
function createControlId(code: string): string {
  const bytes = createHash('sha1').update(namespace).update(code).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Reads files that the tests compare with their schema: that takes longer than the rest of what a start reads. */
function readFiles<Content>(folder: string): readonly Content[] {
  const fileNames = readdirSync(join(import.meta.dirname, folder)).filter((name) => name.endsWith('.json'));
  return fileNames
    .sort()
    .map((fileName) => JSON.parse(readFileSync(join(import.meta.dirname, folder, fileName), 'utf8')));
}

/** The catalogue that ships with the server. What its files have to agree on is tested. */
export const catalogue = readCatalogue();

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
