/** Replaces a method of an object, not of its prototype. @returns restores it, unless another script has replaced it since. */
export function replaceOwn<T extends object, K extends keyof T>(
  owner: T,
  name: K,
  write: (native: T[K] & ((...args: never[]) => unknown)) => unknown,
): () => void {
  // An image of that name shadows the method on `document`.
  if (typeof owner[name] !== 'function') return () => {};
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const value = write(owner[name] as never);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value !== value) return;
    if (own) Object.defineProperty(owner, name, own);
    else Reflect.deleteProperty(owner, name);
  };
}
