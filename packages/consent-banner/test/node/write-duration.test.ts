import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDuration } from '../../src/panel/format.ts';

test('writes the lifetime of a tracker in the words of a language', () => {
  assert.equal(writeDuration('P13M', 'en'), '13 months');
  assert.equal(writeDuration('P1Y', 'de'), '1 Jahr');
  assert.equal(writeDuration('P1DT12H', 'en'), '1 day 12 hours');
  assert.equal(writeDuration('PT30M', 'en'), '30 minutes');
});

test('writes what is no duration as it is', () => {
  for (const text of ['', 'P', 'soon', '13M', 'P1X']) assert.equal(writeDuration(text, 'en'), text);
});
