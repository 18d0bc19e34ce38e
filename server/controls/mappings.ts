import { z } from 'zod';
import { catalogue, findFramework } from './catalogue/catalogue.ts';

const mostRequirements = 200;

/** Which requirements a control helps to meet, by the code of the framework: those that the catalogue lists. */
export const Mappings = z
  .record(z.string().max(20), z.array(z.string().max(60)).min(1).max(mostRequirements))
  .superRefine((mappings, context) => {
    for (const [code, requirements] of Object.entries(mappings)) {
      const refuse = (path: readonly (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path: [code, ...path], message });
      const framework = findFramework(code);
      if (framework === undefined) {
        refuse([], `is no framework of the catalogue: ${listCodes()}`);
        continue;
      }
      const known = new Set(framework.requirements.map((requirement) => requirement.code));
      for (const [index, requirement] of requirements.entries()) {
        if (!known.has(requirement)) refuse([index], `is no requirement of ${framework.name}; ${whereListed(code)}`);
        else if (requirements.indexOf(requirement) < index) refuse([index], 'is named twice');
      }
    }
  })
  .meta({ description: 'Codes of requirements, by the code of the framework; `getFramework` lists them.' });

/** Which operation tells the requirements of a framework. */
function whereListed(code: string): string {
  return `GET /v1/control-framework/frameworks/${code} lists them`;
}

/** The codes of the frameworks that a tenant may adopt, for messages. */
export function listCodes(): string {
  return catalogue.frameworks.map(({ code }) => code).join(', ');
}
