import { z } from 'zod';
import { cadences } from '../status.ts';

/** One line of text without white space around it. */
function line(maximum: number, description: string) {
  return z
    .string()
    .max(maximum)
    .regex(/^\S(?:.*\S)?$/, 'must be one line of text, not empty, without white space around it')
    .meta({ description });
}

const frameworkCode = z
  .string()
  .regex(/^[A-Z][A-Z0-9]{1,19}$/, 'must be 2 to 20 capital letters and digits, a letter first')
  .meta({ description: 'The code of a framework, e.g. GDPR. Never changed.' });

const requirementCode = line(60, 'A requirement as its source numbers it, e.g. Art. 32(1)(b), A.5.15, CC6.1.');

const controlCode = z
  .string()
  .regex(/^[A-Z]{2}-\d{2}$/, 'must be two capital letters, a hyphen and two digits')
  .meta({
    description: 'E.g. AC-01: the letters of the domain and the next free number. Never changed or reused.',
  });

const Requirement = z.strictObject({
  code: requirementCode,
  subject: line(200, 'What it is about, in a few words of our own: never a title of a copyrighted standard.'),
});

/** A file of `frameworks/`: one framework. */
export const FrameworkFile = z.strictObject({
  $schema: z.literal('../framework.schema.json'),
  code: frameworkCode,
  name: line(40, 'What a visitor reads on a badge: short.'),
  description: line(600, 'What the framework is and who publishes it.'),
  jurisdiction: line(100, 'Where it is law, or null for a voluntary standard.').nullable(),
  versionLabel: line(120, 'The edition that the requirements are numbered by.').nullable(),
  category: line(60, 'Privacy law, security standard and the like.').nullable(),
  scopeSummary: line(600, 'To whom and to what it applies.'),
  assuranceBoundary: line(600, 'What a good readiness shows, and what it cannot show.'),
  allowedClaim: line(300, 'A sentence that a company may publish when its readiness is good.'),
  prohibitedClaims: z
    .array(line(200, 'A claim that must never be made on this basis.'))
    .min(1)
    .meta({ description: 'Claims that must never be made on this basis.' }),
  requirements: z
    .array(Requirement)
    .min(1)
    .meta({ description: 'The requirements that controls may name, in the order of the source.' }),
});
export type FrameworkFile = z.input<typeof FrameworkFile>;

const Control = z.strictObject({
  code: controlCode,
  title: line(90, 'What is true when the control works; unique.'),
  description: line(600, 'What the company does, precise enough to be true or false.'),
  cadence: z.enum(cadences).meta({ description: 'How often it is reviewed and tested, at least.' }),
  guidance: line(700, 'How a small company does it, in one to three sentences.'),
  evidence: z
    .array(line(160, 'An example of evidence.'))
    .min(1)
    .meta({ description: 'Examples of what shows that it is done.' }),
  tests: z
    .array(
      z.strictObject({
        title: line(100, 'What is tested.'),
        procedure: line(600, 'How, and when it counts as passed.'),
        cadence: z.enum(cadences).exclude(['event_driven']).optional().meta({
          description:
            'How often it runs, at least: required if the control is event_driven; otherwise the cadence of the control by default.',
        }),
      }),
    )
    .min(1)
    .meta({ description: 'How another person can find out whether it works.' }),
  mappings: z
    .record(frameworkCode, z.array(requirementCode).min(1))
    .refine((mappings) => Object.keys(mappings).length > 0, 'must name a framework')
    .meta({ description: 'The requirements that it helps to meet, by framework.' }),
});

const RetiredControl = z.strictObject({
  code: controlCode,
  title: line(90, 'The title that it had.'),
  reason: line(300, 'Why it was retired, and what replaces it.'),
});

/** A file of `controls/`: the controls of one domain. */
export const ControlsFile = z.strictObject({
  $schema: z.literal('../controls.schema.json'),
  domain: line(60, 'The name of the domain.'),
  controls: z.array(Control).meta({ description: 'The controls of the domain, in the order of their codes.' }),
  retired: z
    .array(RetiredControl)
    .default([])
    .meta({ description: 'Controls that were removed; their codes are never reused.' }),
});
export type ControlsFile = z.input<typeof ControlsFile>;
