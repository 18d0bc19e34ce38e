const reported = new Set<string>();

/** Tells the integrator in the console what is wrong and what to do, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-trust-badge>: ${problem}`);
}

/** Tells that an attribute has a value it cannot have; the badge then goes by its default, as if it said nothing. */
export function refuseValue(name: string, value: string | null, rule: string): '' {
  reportProblem(`${name}="${value ?? ''}" must be ${rule}`);
  return '';
}
