const reported = new Set<string>();

/** Tells the integrator in the console what is wrong and what to do, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-consent>: ${problem}`);
}
