const reported = new Set<string>();

/** Logs an integration problem and its solution in the console, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-consent>: ${problem}`);
}
