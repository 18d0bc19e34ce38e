/** Where a piece of a request is: keys and places from the body down; `{}` is a key that the client chooses. */
export type Place = readonly (string | number)[];

/** One way to make a request larger. */
export interface Input {
  /** The part that is made larger, and its content. */
  readonly name: string;
  /** The most bytes that there is room for. */
  readonly room: number;
  /** The request with so many bytes of it. */
  make(bytes: number): HostileRequest;
}

/** A request as it goes over the wire. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request that the server accepts, and how large its body may be. */
export interface Sample {
  readonly request: HostileRequest;
  /** The body before it was written; null for a form, or without one. */
  readonly json: unknown;
  readonly bodyLimit: number;
  /** The description of the body in the OpenAPI document, without references; null where there is none. */
  readonly schema: JsonSchema | null;
  readonly parameters: readonly string[];
  readonly path: string;
}

/** Members of a JSON schema that are read. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Node refuses a request line and headers of more than 16 KiB together. */
const headRoom = 14 * 1024;

/** Texts that make a bad reader slow: what is composed, what is matched again from every place, what is split. */
const texts: Readonly<Record<string, (bytes: number) => string>> = {
  marks: (bytes) => `a${repeat('\u0301\u0316', bytes)}@x.com`,
  ligatures: (bytes) => repeat('\ufdfa', bytes),
  slashes: (bytes) => `${repeat('/', bytes)}a/`,
  prefix: (bytes) => `${repeat('a', bytes)}!`,
  spaces: (bytes) => `a${repeat(' ', bytes)}a`,
  labels: (bytes) => `a@${repeat('a.', bytes)}!`,
  brackets: (bytes) => `members[${repeat('[', bytes)}`,
  quotes: (bytes) => `userName eq "${repeat('\\"', bytes)}`,
  commas: (bytes) => repeat('a,', bytes),
  lines: (bytes) => `${repeat('\n ', bytes)}x`,
};

/** Those of them that a header may hold. */
const headerTexts = ['slashes', 'prefix', 'spaces', 'labels', 'quotes', 'commas'] as const;
const headers = [
  ...['Authorization', 'Cookie', 'Origin', 'User-Agent', 'X-Forwarded-For', 'Idempotency-Key', 'Svc-Version'],
  ...['Svc-Tenant', 'Svc-User', 'Accept', 'Accept-Encoding', 'Accept-Language', 'If-None-Match', 'If-Modified-Since'],
  ...['Sec-Fetch-Site', 'Content-Type', 'Content-Encoding', 'X-Anything'],
] as const;

function repeat(unit: string, bytes: number): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

/** Every way to make a request larger: its path, its query and its body. */
export function listInputs(sample: Sample): readonly Input[] {
  return [...listPathInputs(sample), ...listQueryInputs(sample), ...listBodyInputs(sample)];
}

/** Every way to make the headers of a request larger. */
export function listHeaderInputs({ request }: Pick<Sample, 'request'>): readonly Input[] {
  return headers.flatMap((header) =>
    headerTexts.map((name) => ({
      name: `header ${header}: ${name}`,
      room: headRoom,
      make: (bytes) => ({
        ...request,
        headers: { ...request.headers, [header]: `${prefixOf(header)}${texts[name]?.(bytes)}` },
      }),
    })),
  );
}

/** The prefix without which a header is not parsed. */
function prefixOf(header: (typeof headers)[number]): string {
  if (header === 'Authorization') return 'Bearer ';
  return header === 'Cookie' ? 'svc_session=' : '';
}

/** A path with text behind it, and with text as it is written in place of each of its parameters. */
function listPathInputs({ request, path, parameters }: Sample): readonly Input[] {
  const [plain = '', query] = request.target.split('?');
  const rest = query === undefined ? '' : `?${query}`;
  const behind = Object.entries(texts).map(([name, text]) => ({
    name: `path, behind it: ${name}`,
    room: headRoom,
    make: (bytes: number) => ({ ...request, target: `${plain}/${encode(text, bytes)}${rest}` }),
  }));
  const segments = path.split('/');
  const inside = segments.flatMap((segment, place) =>
    !parameters.includes(segment)
      ? []
      : Object.entries(texts).map(([name, text]) => ({
          name: `path ${segment}: ${name}`,
          room: headRoom,
          make: (bytes: number) => {
            const filled = plain.split('/');
            filled[place] = encode(text, bytes, encodeURIComponent);
            return { ...request, target: filled.join('/') + rest };
          },
        })),
  );
  return [...behind, ...inside];
}

/** A text as it is written in a request line, where it takes as many bytes. */
function encode(text: (bytes: number) => string, bytes: number, write = encodeURI): string {
  return write(text((bytes * 300) / write(text(300)).length));
}

function listQueryInputs({ request }: Sample): readonly Input[] {
  const [plain = '', query = ''] = request.target.split('?');
  const declared = [...new URLSearchParams(query).keys(), 'cursor', 'filter', 'limit', 'search', 'email', 'attributes'];
  const withQuery = (fields: string) => ({ ...request, target: `${plain}?${fields}` });
  return [
    ...[...new Set(declared)].flatMap((field) =>
      Object.entries(texts).map(([name, text]) => ({
        name: `query ${field}: ${name}`,
        room: headRoom,
        make: (bytes: number) => {
          const fields = new URLSearchParams(query);
          fields.delete(field);
          return withQuery(`${fields}&${field}=${encode(text, bytes - query.length, encodeURIComponent)}`);
        },
      })),
    ),
    {
      name: 'query: many fields',
      room: headRoom,
      make: (bytes) => withQuery(Array.from({ length: Math.floor(bytes / 6) }, (_, index) => `f${index}=`).join('&')),
    },
    { name: 'query: one field many times', room: headRoom, make: (bytes) => withQuery(repeat('limit=&', bytes)) },
  ];
}

/** Every text, every list and every object that the body may have, and JSON that is none of these. */
function listBodyInputs(sample: Sample): readonly Input[] {
  const { request, json, schema, bodyLimit } = sample;
  if (request.body === null) return [];
  const room = Math.floor(bodyLimit * 0.9);
  const raw = (name: string, body: (bytes: number) => string): Input => ({
    name: `body: ${name}`,
    room,
    make: (bytes) => ({ ...request, body: body(bytes) }),
  });
  const shapes = [
    raw('nested lists', (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)),
    raw('nested objects', (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`),
    raw('white space', (bytes) => `${repeat(' ', bytes)}{}`),
    raw('an escape without end', (bytes) => `"${repeat('\\u0041', bytes)}`),
  ];
  if (schema === null) {
    const form = new URLSearchParams(request.body);
    const fields = [...new Set([...form.keys(), 'scope', 'token'])].flatMap((field) =>
      Object.entries(texts).map(([name, text]): Input => {
        const make = (bytes: number) => {
          const filled = new URLSearchParams(form);
          filled.delete(field);
          return { ...request, body: `${filled}&${field}=${encode(text, bytes, encodeURIComponent)}` };
        };
        return { name: `form ${field}: ${name}`, room, make };
      }),
    );
    return [...shapes, ...fields];
  }
  const withValue = (place: Place, value: unknown): HostileRequest => ({
    ...request,
    body: JSON.stringify(setAt(json, place, value)),
  });
  const found = listPlaces(schema, []);
  return [
    ...shapes,
    ...found.flatMap(({ place, schema: part }): readonly Input[] => {
      const where = `body ${place.join('.') || '(whole)'}`;
      const many = (name: string, item: (index: number) => unknown): Input => {
        const size = JSON.stringify(item(1000)).length + 1;
        const list = (bytes: number) => Array.from({ length: Math.ceil(bytes / size) }, (_, index) => item(index));
        return { name: `${where}: ${name}`, room, make: (bytes) => withValue(place, list(bytes)) };
      };
      const value = part.additionalProperties;
      const keys = (name: string, key: (index: number) => string): Input => ({
        name: `${where}: ${name}`,
        room,
        make: (bytes) => {
          const member = typeof value === 'object' ? makeValue(value, 1) : 1;
          const size = key(1000).length + JSON.stringify(member).length + 4;
          const members = Array.from({ length: Math.ceil(bytes / size) }, (_, index) => [key(index), member]);
          const before = getAt(json, place);
          const kept = typeof before === 'object' && before !== null ? before : {};
          return withValue(place, { ...kept, ...Object.fromEntries(members) });
        },
      });
      switch (part.type) {
        case 'string':
          return Object.entries(texts).map(([name, text]) => ({
            name: `${where}: ${name}`,
            room,
            make: (bytes) => withValue(place, text(name === 'quotes' || name === 'lines' ? bytes / 2 : bytes)),
          }));
        case 'array':
          return [
            many('items', (index) => makeValue(part.items ?? {}, index)),
            many('the same item', () => makeValue(part.items ?? {}, 1)),
            many('empty lists', () => []),
          ];
        case 'object':
          return [
            keys('keys', (index) => `key${index}`),
            ...Object.entries(texts).map(([name, text]): Input => {
              const make = (bytes: number) => withValue(place, { ...Object(getAt(json, place)), [text(bytes / 2)]: 1 });
              return { name: `${where}, a key: ${name}`, room, make };
            }),
          ];
        default:
          return [many('items where none belong', (index) => `item ${index}`)];
      }
    }),
  ];
}

/** Every part of a schema, the whole of it first. */
function listPlaces(
  schema: JsonSchema,
  place: Place,
): readonly { readonly place: Place; readonly schema: JsonSchema }[] {
  if (place.length > 8) return [];
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => listPlaces(part, [...place, name])),
    ...(schema.items ? listPlaces(schema.items, [...place, 0]) : []),
    ...(typeof schema.additionalProperties === 'object'
      ? listPlaces(schema.additionalProperties, [...place, 'analytics'])
      : []),
    ...options.filter(({ type }) => type !== 'null').flatMap((option) => listPlaces(option, place)),
  ];
  return options.length > 0 && schema.type === undefined ? below : [{ place, schema }, ...below];
}

/** A value that a schema may take, another for each index. */
function makeValue(schema: JsonSchema, index: number): unknown {
  const [option] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (option) return makeValue(option, index);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[index % schema.enum.length];
  switch (schema.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return index + 1;
    case 'array':
      return [makeValue(schema.items ?? {}, index)];
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) ?? false,
      );
      return Object.fromEntries(fields.map(([name, part]) => [name, makeValue(part, index)]));
    }
    default:
      if (schema.format === 'date-time') return '2026-11-21T12:00:00.000Z';
      if (schema.format === 'uri') return `https://example.com/${index}`;
      return schema.format === 'uuid'
        ? `0190a000-0000-7000-8000-${String(index).padStart(12, '0')}`
        : `item${String(index).padStart(6, '0')}`;
  }
}

function getAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((inner, key) => (Object(inner) as Record<string | number, unknown>)[key], value);
}

/** A copy with another value at a place, and what is missing on the way. */
function setAt(value: unknown, place: Place, wanted: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return wanted;
  if (typeof key === 'number') return [setAt(Array.isArray(value) ? value[0] : undefined, rest, wanted)];
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...fields, [key]: setAt((fields as Record<string, unknown>)[key], rest, wanted) };
}
