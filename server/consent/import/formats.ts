/** The first is the id of a decision in the tool that it comes from. */
export const importFields = ['id', 'subjectId', 'capturedAt', 'subjectChannel', 'method', 'ip', 'ua'] as const;
export type ImportField = (typeof importFields)[number];

/** The content of a line before validation: values of any type, because other tools wrote them. */
export interface RawDecision extends Readonly<Partial<Record<ImportField, unknown>>> {
  /** The choices, with the tool's names of the purposes; a line may contain a name several times. */
  readonly choices: readonly (readonly [name: string, value: unknown])[];
  /** True if a purpose that `choices` lacks was refused. */
  readonly isComplete?: boolean;
}

/** The columns of the file, by the field that they are for. */
export type ColumnNames = Readonly<Partial<Record<ImportField, string>>>;

export interface ImportFormat {
  readonly meaning: string;
  readonly isCsv: boolean;
  /**
   * Reads a line: an object of JSON, or the fields of a CSV record.
   * @param named the names of purposes that are columns of CSV.
   * @throws {UnreadableLine}
   */
  read(line: Readonly<Record<string, unknown>>, columns: ColumnNames, named: readonly string[]): RawDecision;
}

/** A line that is not of the format; the message says why, and contains no value of it. */
export class UnreadableLine extends Error {
  override readonly name = 'UnreadableLine';
}

const choicePrefix = 'purposes.';

/** The formats of `svc import`. docs-site/pages/guides/import.md names the sources of those of other tools. */
export const importFormats = {
  csv: {
    meaning: 'comma-separated values with a header; a column purposes.<key> for each purpose',
    isCsv: true,
    read(line, columns, named) {
      const names = Object.keys(line).filter((name) => name.startsWith(choicePrefix));
      const choices = [
        ...names.map((name) => [name.slice(choicePrefix.length), line[name]] as const),
        ...named.filter((name) => name in line).map((name) => [name, line[name]] as const),
      ];
      // An empty field is no value.
      const fields = pickFields(columns, (name) => (line[name] === '' ? undefined : line[name]));
      return { ...fields, choices: choices.filter(([, value]) => value !== '') };
    },
  },
  jsonl: {
    meaning: 'a JSON object on each line, with purposes: {"<key>": true}',
    isCsv: false,
    read: (line, columns) => ({
      ...pickFields(columns, (name) => readPath(line, name)),
      choices: Object.entries(readObject(line.purposes, 'purposes')),
    }),
  },
  /** https://cookieconsent.orestbida.com/reference/api-reference.html#getcookie, #getuserpreferences */
  cookieconsent: {
    meaning: 'CookieConsent 3 (vanilla-cookieconsent): the content of its cookie on each line',
    isCsv: false,
    read(line) {
      const { consentId: subjectId, lastConsentTimestamp, consentTimestamp } = line;
      const capturedAt = lastConsentTimestamp ?? consentTimestamp;
      const granted = readList(line.categories ?? line.acceptedCategories, 'categories');
      const refused =
        line.rejectedCategories === undefined ? [] : readList(line.rejectedCategories, 'rejectedCategories');
      const choices = [
        ...granted.map((name) => [name, true] as const),
        ...refused.map((name) => [name, false] as const),
      ];
      // The id is that of the browser, and remains when its visitor decides again.
      const id = typeof subjectId === 'string' ? `${subjectId} ${capturedAt}` : undefined;
      return { id, subjectId, capturedAt, choices, isComplete: true };
    },
  },
  /** https://developers.didomi.io/api-and-platform/consents/events/consent-event-schema */
  didomi: {
    meaning: 'Didomi: a consent event on each line, as GET /consents/events returns it',
    isCsv: false,
    read({ id, created_at: capturedAt, status, ...event }) {
      if (status !== undefined && status !== 'confirmed') throw new UnreadableLine('status: is not "confirmed"');
      const user = readObject(event.user, 'user');
      const { purposes } = readObject(event.consents, 'consents');
      if (!Array.isArray(purposes)) throw new UnreadableLine('consents.purposes: must be a list');
      const choices = purposes.map((one: unknown, index) => {
        const { id: name, enabled } = readObject(one, `consents.purposes.${index}`);
        return [String(name), enabled] as const;
      });
      return { id, subjectId: user.organization_user_id ?? user.id, capturedAt, choices };
    },
  },
  /** https://www.iubenda.com/en/help/6484-consent-solution-http-api-documentation/ */
  iubenda: {
    meaning: 'iubenda Consent Database: a consent on each line, as GET /consent returns it',
    isCsv: false,
    read: ({ id, timestamp: capturedAt, subject, preferences }) => ({
      id,
      subjectId: readObject(subject, 'subject').id,
      capturedAt,
      choices: Object.entries(readObject(preferences, 'preferences')),
    }),
  },
} as const satisfies Record<string, ImportFormat>;

export type ImportFormatName = keyof typeof importFormats;
export const importFormatNames = Object.keys(importFormats) as [ImportFormatName, ...ImportFormatName[]];

/** The format of a file by the end of its name; undefined if that says nothing. */
export function findFormat(file: string): ImportFormatName | undefined {
  const [, end = ''] = /\.(\w+)$/.exec(file.toLowerCase()) ?? [];
  return ({ csv: 'csv', tsv: 'csv', jsonl: 'jsonl', ndjson: 'jsonl' } as const)[end];
}

function pickFields(columns: ColumnNames, read: (name: string) => unknown) {
  return Object.fromEntries(importFields.map((field) => [field, read(columns[field] ?? field)]));
}

/** The value at a path such as `user.id`. */
function readPath(line: unknown, path: string): unknown {
  let value = line;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function readObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UnreadableLine(`${path}: must be an object`);
}

function readList(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new UnreadableLine(`${path}: must be a list of strings`);
}
