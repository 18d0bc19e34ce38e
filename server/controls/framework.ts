import { z } from 'zod';
import { notFound } from '../http/problem.ts';
import { catalogue, type Framework, findFramework } from './catalogue/catalogue.ts';

/** spec.md "Control framework (item)". */
export const FrameworkView = z
  .strictObject({
    code: z.string(),
    name: z.string(),
    description: z.string(),
    jurisdiction: z.string().nullable(),
    versionLabel: z.string().nullable(),
    category: z.string().nullable(),
    scopeSummary: z.string().nullable().meta({ description: 'To whom and to what it applies.' }),
    assuranceBoundary: z.string().nullable().meta({ description: 'What a good readiness shows, and what it cannot.' }),
    allowedClaim: z.string().nullable().meta({ description: 'What you may say when your readiness is good.' }),
    prohibitedClaims: z.array(z.string()).meta({ description: 'What you must not say on this basis.' }),
  })
  .meta({ id: 'ControlFramework' });
export type FrameworkView = z.output<typeof FrameworkView>;

/** One framework with the requirements that controls may be mapped to. */
export const FrameworkDetail = FrameworkView.extend({
  requirements: z
    .array(z.strictObject({ code: z.string(), subject: z.string() }).meta({ id: 'FrameworkRequirement' }))
    .meta({ description: 'In the order of the source; `subject` is in our own words.' }),
}).meta({ id: 'ControlFrameworkDetail' });
export type FrameworkDetail = z.output<typeof FrameworkDetail>;

/** The frameworks of the catalogue. */
export function listFrameworks(): FrameworkView[] {
  return catalogue.frameworks.map(viewFramework);
}

/** @throws {Problem} `not_found`. */
export function requireFramework(code: string): FrameworkDetail {
  const framework = findFramework(code);
  if (framework === undefined) throw notFound('framework');
  return { ...viewFramework(framework), requirements: framework.requirements.map((one) => ({ ...one })) };
}

function viewFramework({ requirements: _, prohibitedClaims, ...framework }: Framework): FrameworkView {
  return { ...framework, prohibitedClaims: [...prohibitedClaims] };
}
