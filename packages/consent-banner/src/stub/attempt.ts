/** What an access gives, or undefined where the browser forbids it or there is nothing to be read. */
export function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
