/**
 * The achieved frameworks that have not expired at a time, in the order of `known`. The dashboard runs it for a draft: no Node in
 * here.
 */
export function achievementsOf<
  Known extends { readonly code: string },
  Achieved extends { readonly code: string; readonly expiresAt: string | null },
>(known: readonly Known[], frameworks: readonly Achieved[], now: string) {
  return known.flatMap((framework) => {
    const achieved = frameworks.find(({ code }) => code === framework.code);
    if (achieved === undefined || (achieved.expiresAt !== null && achieved.expiresAt <= now)) return [];
    return [{ framework, ...achieved }];
  });
}
