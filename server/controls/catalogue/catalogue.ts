import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ControlsFile, FrameworkFile } from './schema.ts';

export type Catalogue = Readonly<ReturnType<typeof assemble>>;

/** A framework that controls are mapped to. */
export type Framework = Readonly<Catalogue['frameworks'][number]>;

/** A control of the catalogue, as every tenant starts with it. */
export type CatalogueControl = Readonly<Catalogue['controls'][number]>;

/** A file of the catalogue: its path in the folder of the catalogue, and its JSON. */
export interface CatalogueFile {
  readonly name: string;
  readonly content: unknown;
}

const filesOf = <Content extends z.ZodType>(content: Content) => z.array(z.object({ name: z.string(), content }));
const Files = z.object({ frameworks: filesOf(FrameworkFile), controls: filesOf(ControlsFile) });
type Files = z.output<typeof Files>;

// The content of an invalid file is unknown, so the files are compared only if each is valid.
const Checked = Files.pipe(z.custom<Files>().superRefine(checkNames).superRefine(checkMappings));

/**
 * Checks all files together and builds the catalogue.
 * @throws {Error} whose message names the file and the place of everything that is wrong.
 */
export function checkCatalogue(files: Readonly<Record<keyof Files, readonly CatalogueFile[]>>): Catalogue {
  const { data, error } = Checked.safeParse(files);
  if (data !== undefined) return assemble(data);
  const problems = error?.issues.map(({ path, message }) => `${writePlace(files, path)}: ${message}`);
  throw new Error(`The control catalogue is invalid:\n${problems?.join('\n')}`);
}

/** Writes a path as a file and a place in its JSON: `controls/people.json: controls[3].mappings.GDPR[0]`. */
function writePlace(files: Parameters<typeof checkCatalogue>[0], path: readonly PropertyKey[]): string {
  const [kind, file, , ...below] = path;
  const place = below.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${files[kind as keyof Files][file as number]?.name}: ${place.replace(/^\./, '') || 'the file'}`;
}

/** What must be unique in the whole catalogue; within a file the schemas check it. */
function checkNames(files: Files, context: z.RefinementCtx): void {
  const used = new Map<string, readonly PropertyKey[]>();
  const use = (kind: string, value: string, ...path: PropertyKey[]) => {
    const key = `${kind} ${value.toLowerCase()}`;
    const first = used.get(key);
    const message = `"${value}" is already used in ${first && writePlace(files, first)}`;
    if (first === undefined) used.set(key, path);
    else context.addIssue({ code: 'custom', path, message });
  };
  for (const [index, { content }] of files.frameworks.entries()) {
    use('code', content.code, 'frameworks', index, 'content', 'code');
    use('name', content.name, 'frameworks', index, 'content', 'name');
  }
  for (const [index, { content }] of files.controls.entries()) {
    const file = ['controls', index, 'content'];
    use('domain', content.domain, ...file, 'domain');
    use('letters', lettersOf(content), ...file, 'controls');
    for (const [number, { title }] of content.controls.entries())
      use('title', title, ...file, 'controls', number, 'title');
  }
}

/** The two letters at the start of all codes of a domain. */
function lettersOf({ controls, retired }: ControlsFile): string {
  return ((controls[0] ?? retired[0])?.code ?? '').slice(0, 2);
}

/** Controls name frameworks and requirements that exist, and every framework is named. */
function checkMappings({ frameworks, controls }: Files, context: z.RefinementCtx): void {
  const refuse = (message: string, ...path: (string | number)[]) => context.addIssue({ code: 'custom', path, message });
  const unmapped = new Set(frameworks.map(({ content }) => content.code));
  for (const [file, { content }] of controls.entries())
    for (const [index, { mappings }] of content.controls.entries())
      for (const [code, requirements] of Object.entries(mappings)) {
        const place = ['controls', file, 'content', 'controls', index, 'mappings', code];
        unmapped.delete(code);
        const framework = frameworks.find((one) => one.content.code === code);
        if (framework === undefined) refuse('no file of frameworks/ has this code', ...place);
        const listed = framework?.content.requirements.map((requirement) => requirement.code);
        for (const [number, requirement] of requirements.entries())
          if (listed?.includes(requirement) === false)
            refuse(`"${requirement}" is no requirement of ${framework?.name}`, ...place, number);
      }
  for (const code of unmapped) {
    const file = frameworks.findIndex(({ content }) => content.code === code);
    refuse(`no control is mapped to ${code}`, 'frameworks', file, 'content', 'code');
  }
}

/** Frameworks and controls are in the order of their codes, and mappings in the order of the frameworks. */
function assemble({ frameworks, controls: domains }: Files) {
  const ordered = frameworks.map(({ content: { $schema, ...framework } }) => framework).sort(byCode);
  const controls = domains.flatMap(({ content: { domain, controls } }) =>
    controls.map(({ mappings, ...control }) => ({
      controlId: createControlId(control.code),
      ...control,
      domain,
      mappings: Object.fromEntries(ordered.flatMap(({ code }) => (mappings[code] ? [[code, mappings[code]]] : []))),
    })),
  );
  // Those of retired controls included.
  const codeLetters = domains.map(({ content }) => lettersOf(content)).sort();
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
export function createControlId(code: string): string {
  const bytes = createHash('sha1').update(namespace).update(code).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

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
