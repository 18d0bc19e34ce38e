// biome-ignore lint/suspicious/noExplicitAny: members of any object, called as the page calls them.
type Member = (this: any, ...args: any[]) => any;
type Members = { readonly value: Member; readonly get: Member; readonly set: Member };

/** Restores a member, unless another script has replaced it since. */
export type Undo = () => void;

/** Replaces a method or the accessors of a property; does nothing if the browser does not have it, or does not allow it. */
export function replaceMember(owner: object, name: string, write: (native: Members) => Partial<Members>): Undo {
  const native = Object.getOwnPropertyDescriptor(owner, name);
  if (!native?.configurable) return () => {};
  const own = write(native as Members);
  for (const [key, member] of Object.entries(own)) imitate(native[key as keyof Members], member);
  Object.defineProperty(owner, name, { ...native, ...own });
  return () => {
    const current = Object.getOwnPropertyDescriptor(owner, name);
    const isOwn = Object.entries(own).every(([key, member]) => current?.[key as keyof Members] === member);
    if (isOwn) Object.defineProperty(owner, name, native);
  };
}

/** Some libraries get another `fetch` from a frame if this one does not read as native. */
function imitate(native: Member, own: Member): void {
  for (const [key, value] of Object.entries({ name: native.name, length: native.length, toString: () => `${native}` }))
    Object.defineProperty(own, key, { value, configurable: true });
}
