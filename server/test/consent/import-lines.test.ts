import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CsvRecord, type Line, readCsv } from '../../consent/import/lines.ts';

async function* splitLines(text: string): AsyncGenerator<Line> {
  for (const [index, line] of text.split('\n').entries()) yield { number: index + 1, text: line, fault: null };
}

async function read(text: string): Promise<readonly CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(splitLines(text))) records.push(record);
  return records;
}

const delimiters = fc.constantFrom(',', ';', '\t');
const write = (rows: readonly (readonly string[])[], delimiter: string) =>
  rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(delimiter)).join('\n');

describe('CSV', () => {
  test('is read as it was written, whatever its fields contain', async () => {
    const field = fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', 'a', 'ë', ' '), maxLength: 12 });
    const rows = fc.array(fc.tuple(field, field, field), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, delimiters, async (values, delimiter) => {
        const records = await read(write([['one', 'two', 'three'], ...values], delimiter));
        assert.deepEqual(
          records.map(({ fields, fault }) => [fault, fields.one, fields.two, fields.three]),
          values.map((row) => [null, ...row]),
        );
      }),
    );
  });

  test('with a stray quotation mark anywhere in a line has a fault in that line, and all other lines', async () => {
    const lines = ['1,anna,x', '2,ben,', '3,"cleo, ""c""",z', '4,,x', '5,eve,"y"'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 1, 3), fc.nat(8), async (index, at) => {
        const line = lines[index] as string;
        const position = Math.min(at, line.length);
        const stray = `${line.slice(0, position)}"${line.slice(position)}`;
        const records = await read(['id,name,other', ...lines.with(index, stray)].join('\n'));
        const expected = lines.map((_, one) => (one === index ? null : String(one + 1)));
        assert.deepEqual(
          records.map(({ number, fields, fault }) => [number, fault === null ? fields.id : null]),
          expected.map((id, one) => [one + 2, id]),
        );
      }),
    );
  });
});
