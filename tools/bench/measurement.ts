import { z } from 'zod';

const findingSchema = z
  .strictObject({
    what: z.string().min(1),
    ours: z.string(),
    floor: z.string(),
    value: z.strictObject({ low: z.number(), median: z.number(), high: z.number() }).readonly(),
    unit: z.enum(['×', 's', 'ms', 'MB', 'kB', '']),
    budget: z.union([
      z.strictObject({ atLeast: z.number() }).readonly(),
      z.strictObject({ atMost: z.number() }).readonly(),
    ]),
    /** The verdict, by the budget of the day of the measurement. */
    met: z.boolean(),
    note: z.exactOptional(z.string().min(1)),
  })
  .readonly();

/** Where and on what something was measured. It names no machine, no path and no person. */
const conditionsSchema = z.strictObject({
  measuredOn: z.iso.date(),
  /** The commit that was measured. */
  commit: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
  /** True if files differed from those of the commit. */
  isModified: z.boolean(),
  node: z.string().min(1),
  /** The version of Chromium on the machine; null where there is none. */
  chromium: z.string().min(1).nullable(),
  processor: z.string().min(1),
  processors: z.int().positive(),
  gibibytes: z.number().positive(),
  /** How many processes wanted a processor in the minute before. */
  load: z.number().nonnegative(),
});

const measurementSchema = conditionsSchema.extend({ findings: z.array(findingSchema).min(1).readonly() }).readonly();

/** Findings of each benchmark, with machine and time. */
export const measurementsSchema = z.record(z.string(), measurementSchema).readonly();

export type MeasuredFinding = z.infer<typeof findingSchema>;
export type Conditions = Readonly<z.infer<typeof conditionsSchema>>;
export type Measurement = z.infer<typeof measurementSchema>;

/** The last measurement of each benchmark, by its name. */
export type Measurements = z.infer<typeof measurementsSchema>;

/** True if other processes used the machine: a load of more than a quarter of its processors before the start. */
export function isBusy({ load, processors }: Conditions): boolean {
  return load > processors / 4;
}
