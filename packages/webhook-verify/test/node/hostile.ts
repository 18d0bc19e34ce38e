import { body, digest, event, sign, text, time } from './vectors.ts';

export interface Hostile {
  readonly name: string;
  readonly code: string;
  readonly body?: unknown;
  readonly signature?: unknown;
}

const good = digest(body);
const header = `t=${time},v1=${good}`;
const malformed = (name: string, signature: unknown): Hostile => ({ name, signature, code: 'signature_malformed' });
const signed = (name: string, payload: Uint8Array | string): Hostile => ({
  name,
  body: payload,
  signature: sign(payload),
  code: 'body_invalid',
});
const notBytes = (name: string, value: unknown): Hostile => ({ name, body: value, code: 'body_not_bytes' });
const without = (field: keyof typeof event) => JSON.stringify({ ...event, [field]: undefined });
const bytes = (...values: readonly (number | string)[]) =>
  Buffer.concat(values.map((value) => (typeof value === 'string' ? Buffer.from(value) : Buffer.of(value))));

/** Headers and bodies that must be refused, each with one code of our own. */
export const hostile: readonly Hostile[] = [
  { name: 'no header', signature: undefined, code: 'signature_missing' },
  { name: 'null as a header', signature: null, code: 'signature_missing' },
  { name: 'an empty header', signature: '', code: 'signature_missing' },
  malformed('a header as an array', [header]),
  malformed('two headers as an array', [header, header]),
  malformed('a number as a header', 1),
  malformed('an object as a header', { toString: () => header }),
  malformed('two headers joined', `${header}, ${header}`),
  malformed('white space alone', ' '),
  malformed('a comma', ','),
  malformed('a time alone', `t=${time}`),
  malformed('a signature alone', `v1=${good}`),
  malformed('the signature first', `v1=${good},t=${time}`),
  malformed('a time twice, the same', `t=${time},t=${time},v1=${good}`),
  malformed('a time twice, another', `t=1,v1=${good},t=${time}`),
  malformed('a time again at the end', `${header},t=${time}`),
  malformed('a leading zero', `t=0${time},v1=${good}`),
  malformed('a plus', `t=+${time},v1=${good}`),
  malformed('a minus', `t=-${time},v1=${good}`),
  malformed('a fraction', `t=${time}.0,v1=${good}`),
  malformed('an exponent', `t=1e9,v1=${good}`),
  malformed('hexadecimal time', `t=0x6955b900,v1=${good}`),
  malformed('letters after the time', `t=${time}abc,v1=${good}`),
  malformed('white space after the time', `t=${time} ,v1=${good}`),
  malformed('white space before the time', `t= ${time},v1=${good}`),
  malformed('white space before all', ` ${header}`),
  malformed('white space after all', `${header} `),
  malformed('a line break after all', `${header}\n`),
  malformed('white space after the comma', `t=${time}, v1=${good}`),
  malformed('no time', `t=,v1=${good}`),
  malformed('a time that is no number', `t=NaN,v1=${good}`),
  malformed('Infinity', `t=Infinity,v1=${good}`),
  malformed('a time of 13 digits', `t=1767225600000,v1=${good}`),
  malformed('a time of 400 digits', `t=${'9'.repeat(400)},v1=${good}`),
  malformed('full-width digits', `t=１７６７２２５６００,v1=${good}`),
  malformed('Arabic digits', `t=١٧٦٧٢٢٥٦٠٠,v1=${good}`),
  malformed('upper-case names', `T=${time},V1=${good}`),
  malformed('upper-case hex', `t=${time},v1=${good.toUpperCase()}`),
  malformed('63 digits', `t=${time},v1=${good.slice(1)}`),
  malformed('65 digits', `t=${time},v1=${good}0`),
  malformed('an empty signature', `t=${time},v1=`),
  malformed('no equals sign', `t=${time},v1${good}`),
  malformed('two equals signs', `t=${time},v1==${good}`),
  malformed('base64', `t=${time},v1=${Buffer.from(good, 'hex').toString('base64')}`),
  malformed('letters that are no hex', `t=${time},v1=${'g'.repeat(64)}`),
  malformed('characters beside the digits', `t=${time},v1=${':'.repeat(64)}`),
  malformed('characters before the letters', `t=${time},v1=${'`'.repeat(64)}`),
  malformed('64 characters of more than 64 bytes', `t=${time},v1=${'é'.repeat(64)}`),
  malformed('a NUL', `t=${time},v1=${good.slice(1)}\0`),
  malformed('quotes', `"${header}"`),
  malformed('semicolons', `t=${time};v1=${good}`),
  malformed('a comma at the end', `${header},`),
  malformed('an empty part', `t=${time},,v1=${good}`),
  malformed('a name that is no scheme', `${header},foo=bar`),
  malformed('an object’s own names', `${header},__proto__=1`),
  malformed('a good signature beside a malformed one', `${header},v1=00`),
  malformed('no scheme that is known', `t=${time},v0=${good},v2=${good}`),
  malformed('a scheme of three digits', `${header},v100=x`),
  malformed('nine signatures', `t=${time}${`,v1=${good}`.repeat(9)}`),
  malformed('1,025 characters', `${header},v2=${'a'.repeat(1025 - header.length - 4)}`),
  malformed('a megabyte of commas', `t=${time},v1=${good}${','.repeat(1_000_000)}`),
  malformed('a megabyte of signatures', `t=${time}${`,v1=${good}`.repeat(14_000)}`),
  malformed('a megabyte of digits', `t=${'1'.repeat(1_000_000)}`),
  malformed('JSON', `{"t":${time},"v1":"${good}"}`),
  { name: 'another secret', signature: sign(body, time, 'whsec_other'), code: 'signature_mismatch' },
  {
    name: 'the secret without its prefix',
    signature: sign(body, time, 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
    code: 'signature_mismatch',
  },
  { name: 'another time', signature: `t=${time + 1},v1=${good}`, code: 'signature_mismatch' },
  { name: 'zeros', signature: `t=${time},v1=${'0'.repeat(64)}`, code: 'signature_mismatch' },
  { name: 'another body', body: text.replace('access', 'erase'), code: 'signature_mismatch' },
  { name: 'a body with a line break more', body: `${text}\n`, code: 'signature_mismatch' },
  { name: 'a body with a byte order mark more', body: `\uFEFF${text}`, code: 'signature_mismatch' },
  { name: 'a body that was written again', body: JSON.stringify(event, null, 2), code: 'signature_mismatch' },
  { name: 'an empty body', body: new Uint8Array(), code: 'signature_mismatch' },
  {
    name: 'a dot moved from the body to the time',
    body: '2',
    signature: `t=1,v1=${digest('2', '1.')}`,
    code: 'timestamp_too_old',
  },
  { name: '301 seconds ago', signature: sign(body, time - 301), code: 'timestamp_too_old' },
  { name: '301 seconds ahead', signature: sign(body, time + 301), code: 'timestamp_too_new' },
  { name: 'the beginning of time', signature: sign(body, 0), code: 'timestamp_too_old' },
  { name: 'the end of time', signature: sign(body, 999_999_999_999), code: 'timestamp_too_new' },
  notBytes('a parsed body', event),
  notBytes('no body', undefined),
  notBytes('null as a body', null),
  notBytes('a number as a body', 1),
  notBytes('an array as a body', [1, 2]),
  notBytes('a string object', new String(text)),
  notBytes('a body that says it is a buffer', { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 2 }),
  notBytes('JSON of a buffer', Buffer.from(text).toJSON()),
  notBytes('a buffer that was transferred', transferred()),
  notBytes('a promise', Promise.resolve(body)),
  signed('no JSON', 'hello'),
  signed('nothing', ''),
  signed('truncated JSON', text.slice(0, -1)),
  signed('JSON and more', `${text}{}`),
  signed('a signed byte order mark', `\uFEFF${text}`),
  signed('a byte that is no UTF-8', bytes(text.slice(0, -2), 0xff, text.slice(-2))),
  signed('an overlong form', bytes('{"id":"', 0xc0, 0xaf, text.slice(7))),
  signed('half a surrogate pair', bytes('{"id":"', 0xed, 0xa0, 0x80, text.slice(7))),
  signed('UTF-16', Buffer.from(text, 'utf16le')),
  signed('null in JSON', 'null'),
  signed('a list', '[]'),
  signed('a text', '"text"'),
  signed('a number', '1'),
  signed('an empty object', '{}'),
  signed('10,000 lists in each other', '['.repeat(10_000)),
  signed('no id', without('id')),
  signed('no type', without('type')),
  signed('no time of the event', without('createdAt')),
  signed('no tenant', without('tenantId')),
  signed('no data', without('data')),
  signed('an empty id', JSON.stringify({ ...event, id: '' })),
  signed('a type that is a number', JSON.stringify({ ...event, type: 1 })),
  signed('data that is a list', JSON.stringify({ ...event, data: [] })),
  signed('data that is null', JSON.stringify({ ...event, data: null })),
  signed('data that is a text', JSON.stringify({ ...event, data: 'x' })),
];

function transferred(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}
