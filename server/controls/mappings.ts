import { dictionary, findRepeated, list, text } from '../http/schemas.ts';
import { catalogue, findFramework } from './catalogue/catalogue.ts';

const mostFrameworks = 100;
const mostRequirements = 200;

/** Which requirements a control helps to meet, by the code of the framework: those that the catalogue lists. */
export const Mappings = dictionary(text(20), list(text(60), mostRequirements).min(1), mostFrameworks)
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
      const repeated = new Set(findRepeated(requirements));
      for (const [index, requirement] of requirements.entries()) {
        if (!known.has(requirement)) refuse([index], `is no requirement of ${framework.name}; ${whereListed(code)}`);
        else if (repeated.has(index)) refuse([index], 'is named twice');
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
