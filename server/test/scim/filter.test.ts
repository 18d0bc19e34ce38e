import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../http/problem.ts';
import { readFilter } from '../../scim/list.ts';
import { userUrn } from './scim-client.ts';

const attributes = ['userName', 'externalId'];
const read = (text: string) => readFilter(text, userUrn, attributes);
const isInvalid = (error: unknown) => error instanceof Problem && error.code === 'invalidFilter';

describe('a filter', () => {
  test('takes every text as a JSON string and gives it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...attributes), (value, attribute) => {
        assert.deepEqual(read(`${attribute} eq ${JSON.stringify(value)}`), {
          attribute: attribute.toLowerCase(),
          value,
        });
      }),
    );
  });

  test('compares names, the URN and the operator without case', () => {
    for (const text of [
      'userName eq "a"',
      'USERNAME EQ "a"',
      'username Eq "a"',
      `${userUrn}:userName eq "a"`,
      `${userUrn.toUpperCase()}:USERNAME eq "a"`,
      '  userName   eq   "a"  ',
    ])
      assert.deepEqual(read(text), { attribute: 'username', value: 'a' });
  });

  test('reads the escapes of JSON', () => {
    for (const [literal, value] of [
      ['"a\\"b"', 'a"b'],
      ['"a\\\\"', 'a\\'],
      ['"\\u00e4\\n\\/"', 'ä\n/'],
      ['"\\ud83d\\ude00"', '\u{1F600}'],
      ['""', ''],
      ['"x\' or 1=1 --"', "x' or 1=1 --"],
    ])
      assert.equal(read(`userName eq ${literal}`).value, value);
  });

  test('refuses everything but one eq with a quoted value', () => {
    const operators = 'ne co sw ew gt ge lt le pr and or not = == eqq in'.split(' ');
    for (const text of [
      ...operators.map((operator) => `userName ${operator} "a"`),
      '',
      ' ',
      'x',
      'userName',
      'userName pr',
      'userName eq',
      'userName eq a',
      "userName eq 'a'",
      'userName eq true',
      'userName eq null',
      'userName eq 1',
      'userName eq "a',
      'userName eq a"',
      'userName eq "a"b',
      'userName eq "a" "b"',
      'userName eq "a" and externalId eq "b"',
      'userName eq "a" or userName eq "b"',
      'userName eq "a"; drop table users',
      'not (userName eq "a")',
      '(userName eq "a")',
      'userName eq ("a")',
      'userName eq ["a"]',
      'userName eq {"a":1}',
      'userName eq "\\x"',
      'userName eq "\t"',
      'userName eq "\n"',
      'userNameeq"a"',
      'userName eq"a"',
      'userName\teq\t"a"',
      '"userName" eq "a"',
      'emails[type eq "work"].value eq "a"',
      'emails.value eq "a"',
      'name.givenName eq "a"',
      'id eq "a"',
      'active eq "true"',
      'nothing eq "a"',
      'urn:ietf:params:scim:schemas:core:2.0:Group:userName eq "a"',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:externalId eq "a"',
      `${userUrn} eq "a"`,
      `${userUrn}: eq "a"`,
      ' eq "a"',
    ])
      assert.throws(() => read(text), isInvalid, text);
  });

  test('throws nothing but its Problem, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((tail) => `userName eq "a"${tail}`),
        ),
        (text) => {
          try {
            read(text);
          } catch (error) {
            assert.ok(isInvalid(error));
          }
        },
      ),
    );
  });
});
