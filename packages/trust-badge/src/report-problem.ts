const reported = new Set<string>();

/** Logs an integration problem and its solution in the console, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-trust-badge>: ${problem}`);
}

/** Logs that an attribute has an invalid value; the badge then uses the default. */
export function refuseValue(name: string, value: string | null, rule: string): '' {
  reportProblem(`${name}="${value ?? ''}" must be ${rule}`);
  return '';
}
