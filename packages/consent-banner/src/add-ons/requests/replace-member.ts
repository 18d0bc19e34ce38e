// biome-ignore lint/suspicious/noExplicitAny: members of any object, called as the page calls them.
export type Method = (this: any, ...args: any[]) => any;
// biome-ignore lint/suspicious/noExplicitAny: likewise.
type Target = any;

/** Puts a member back, where it is still the one that took its place. */
export type Undo = () => void;

/**
 * Replaces a method or a constructor. Name, length and the kind of property stay; where there is none, or it is fixed, nothing
 * changes.
 */
export function replaceMethod(owner: Target, name: string, replace: (native: Method) => Method): Undo {
  const native = Object.getOwnPropertyDescriptor(Object(owner), name);
  if (!native?.configurable || typeof native.value !== 'function') return () => {};
  const value = likeNative(native.value, replace(native.value));
  Object.defineProperty(owner, name, { ...native, value });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value === value) Object.defineProperty(owner, name, native);
  };
}

/** The accessors of a property; what is left out stays. */
export interface Accessors {
  readonly get?: Method | undefined;
  readonly set?: Method | undefined;
}

/** Replaces the accessors of a property, likewise. */
export function replaceAccessors(owner: Target, name: string, replace: (get: Method, set: Method) => Accessors): Undo {
  const native = Object.getOwnPropertyDescriptor(Object(owner), name);
  if (!native?.configurable || !native.get) return () => {};
  const { get, set } = replace(native.get, native.set ?? (() => {}));
  const own: PropertyDescriptor = {
    ...native,
    get: get ? likeNative(native.get, get) : native.get,
    ...(native.set && { set: set ? likeNative(native.set, set) : native.set }),
  };
  Object.defineProperty(owner, name, own);
  return () => {
    const found = Object.getOwnPropertyDescriptor(owner, name);
    if (found && found.get === own.get && found.set === own.set) Object.defineProperty(owner, name, native);
  };
}

/** Some libraries take a member that does not read as native for broken, and get another from a frame of their own. */
function likeNative(native: Method, own: Method): Method {
  const { name, length } = native;
  for (const [key, value] of Object.entries({ name, length, toString: () => String(native) })) {
    // A class is a proxy of the native one, and has all that already.
    if (!own.prototype) Object.defineProperty(own, key, { value, configurable: true });
  }
  return own;
}
