import { nameCookie, readCookies } from './list-storage.ts';

/** What is known of who writes cookies, as long as it is watched. */
export interface CookieWatch {
  /** Name of the cookie to the address of the script. */
  readonly writers: ReadonlyMap<string, string>;
  stop(): void;
}

/**
 * Watches `document.cookie`, whose setter it replaces until it is stopped. The script is the caller's address in the stack,
 * which is all that a browser reveals; cookies of servers, frames and the Cookie Store have none.
 */
export function watchCookies(onWrite: () => void): CookieWatch {
  const writers = new Map<string, string>();
  const native = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  const { set } = native ?? {};
  if (!native || !set || !native.configurable) return { writers, stop: () => {} };
  const watching = {
    ...native,
    set(this: Document, cookie: string): void {
      const name = nameCookie(String(cookie));
      const wasThere = readCookies().includes(name);
      set.call(this, cookie);
      const caller = readCaller(new Error().stack);
      // Not who changes one that was there, or deletes it.
      if (caller && !wasThere && readCookies().includes(name)) writers.set(name, caller);
      onWrite();
    },
  };
  Object.defineProperty(Document.prototype, 'cookie', watching);
  return {
    writers,
    stop() {
      // If another script has replaced it since, that stays.
      if (Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')?.set === watching.set)
        Object.defineProperty(Document.prototype, 'cookie', native);
    },
  };
}

/** The second address of a stack, without query: the first is this file. */
function readCaller(stack = ''): string | undefined {
  const addresses = stack.split('\n').flatMap((line) => /https?:\/\/[^\s?#)]+/.exec(line) ?? []);
  return addresses[1]?.replace(/(:\d+){1,2}$/, '');
}
