import { reportProblem } from './report-problem.ts';

const MAPPING = 'pairs such as "statistics: one two; marketing: three"';

/** What the values of attributes must be; the others are any text. */
const rules: Readonly<Record<string, readonly [RegExp, string]>> = {
  theme: [/^(auto|light|dark)$/, 'auto, light or dark'],
  trigger: [/^(none|bottom-left|bottom-right)$/, 'none, bottom-left or bottom-right'],
  'max-age': [/^(?=.*[1-9])\d+(\.\d+)?$/, 'a number of days above 0'],
  'refusal-max-age': [/^(?=.*[1-9])\d+(\.\d+)?$/, 'a number of days above 0'],
  'cookie-domain': [/^[\w-]+(\.[\w-]+)*$/, 'a domain such as example.com'],
  'clear-cookies': [/^(\s*[^\s:;]+\s*:\s*[^:;]+(;\s*|$))+$/, MAPPING],
  'consent-mode': [/^(\s*[^\s:;]+\s*:\s*[^:;]+(;\s*|$))+$/, MAPPING],
};

/** Tells which values are not understood. They count as not given. */
export function checkAttributes(element: Element): void {
  for (const [name, [rule, wanted]] of Object.entries(rules)) {
    const value = element.getAttribute(name);
    if (value && !rule.test(value)) reportProblem(`${name}="${value}" is not understood. It must be ${wanted}.`);
  }
}
