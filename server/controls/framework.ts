import { z } from 'zod';
import { dictionary, findRepeated, list, namedObject, text } from '../http/schemas.ts';
import { catalogue, findFramework } from './catalogue/catalogue.ts';

/** spec.md "Control framework (item)". */
export const FrameworkView = namedObject('ControlFramework', {
  code: z.string(),
  name: z.string(),
  description: z.string(),
  jurisdiction: z.string().nullable(),
  versionLabel: z.string().nullable(),
  category: z.string().nullable(),
  scopeSummary: z.string().nullable().meta({ description: 'To whom and to what it applies.' }),
  assuranceBoundary: z
    .string()
    .nullable()
    .meta({ description: 'What a good readiness shows, and what it cannot show.' }),
  allowedClaim: z.string().nullable().meta({ description: 'What you may say when your readiness is good.' }),
  prohibitedClaims: z.array(z.string()).meta({ description: 'What you must not say on this basis.' }),
});

/** A framework with the requirements that controls may be mapped to. */
export const FrameworkDetail = FrameworkView.extend({
  requirements: z
    .array(namedObject('FrameworkRequirement', { code: z.string(), subject: z.string() }))
    .meta({ description: 'In the order of the source; `subject` is in our own words.' }),
}).meta({ id: 'ControlFrameworkDetail' });

const unknownFramework = `is no framework of the catalogue: ${catalogue.frameworks.map(({ code }) => code).join(', ')}`;

/** The codes of the frameworks that a tenant adopts. */
export const FrameworkCodes = list(text(20), 100)
  .superRefine((codes, context) => {
    const repeated = new Set(findRepeated(codes));
    for (const [index, code] of codes.entries()) {
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: [index], message });
      if (findFramework(code) === undefined) refuse(unknownFramework);
      else if (repeated.has(index)) refuse('is listed twice');
    }
  })
  .meta({ description: 'The complete list: frameworks that it omits are dropped.' });

/** The requirements of the catalogue that a control helps to meet, by the code of the framework. */
export const Mappings = dictionary(text(20), list(text(60), 200).min(1), 100)
  .superRefine((mappings, context) => {
    for (const [code, requirements] of Object.entries(mappings)) {
      const refuse = (message: string, ...path: number[]) =>
        context.addIssue({ code: 'custom', path: [code, ...path], message });
      const framework = findFramework(code);
      if (framework === undefined) {
        refuse(unknownFramework);
        continue;
      }
      const listed = `GET /v1/control-framework/frameworks/${code} lists them`;
      const known = new Set(framework.requirements.map((requirement) => requirement.code));
      const repeated = new Set(findRepeated(requirements));
      for (const [index, requirement] of requirements.entries()) {
        if (!known.has(requirement)) refuse(`is no requirement of ${framework.name}; ${listed}`, index);
        else if (repeated.has(index)) refuse('is listed twice', index);
      }
    }
  })
  .meta({ description: 'Codes of requirements, by the code of the framework; `getFramework` lists them.' });
