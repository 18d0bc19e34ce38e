import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Finding } from './benchmark.ts';
import { type Conditions, type Measurement, type Measurements, measurementsSchema } from './measurement.ts';
import { isMet } from './report.ts';

/** The record that the documentation shows. */
export const recordFile = join(import.meta.dirname, '../../docs-site/reference/measurements.json');

/**
 * Reads the record.
 * @returns nothing measured where there is no file yet.
 * @throws for a file that is no record, with what to do.
 */
export function readMeasurements(file = recordFile): Measurements {
  const text = readIfThere(file);
  if (text === null) return {};
  const { success, data, error } = measurementsSchema.safeParse(parseJson(text));
  if (success) return data;
  throw new Error(
    `${file} is no record of measurements; restore it, or delete it and run npm run bench -- --record.\n${z.prettifyError(error)}`,
  );
}

/** Findings of a benchmark with their verdicts, in significant digits. */
export function describeMeasurement(conditions: Conditions, findings: readonly Finding[]): Measurement {
  return {
    ...conditions,
    findings: findings.map(({ what, ours, floor, value, unit, budget, note }) => {
      const rounded = { low: round(value.low), median: round(value.median), high: round(value.high) };
      // The verdict is on the figure that is shown.
      const met = isMet({ value: rounded, budget });
      return { what, ours, floor, value: rounded, unit, budget, met, ...(note === undefined ? {} : { note }) };
    }),
  };
}

/** Puts a measurement in the place of the last one of its name; what is measured no longer goes. @param order of all names. */
export function replaceMeasurement(
  measurements: Measurements,
  name: string,
  measurement: Measurement,
  order: readonly string[],
): Measurements {
  const all: Measurements = { ...measurements, [name]: measurement };
  return Object.fromEntries(order.flatMap((one) => (all[one] === undefined ? [] : [[one, all[one]]])));
}

/** Writes the record, whole or not at all. */
export function writeMeasurements(measurements: Measurements, file = recordFile): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${JSON.stringify(measurements, null, 2)}\n`);
  renameSync(unfinished, file);
}

function round(figure: number): number {
  return Number(figure.toPrecision(6));
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
