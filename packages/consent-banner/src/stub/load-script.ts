import type { ConsentInterface, PageActions } from './consent-state.ts';

/**
 * Loads `svc-consent-{name}.js` from beside our own script, with bytes that are known by their hash. It rejects when that
 * is blocked, changed or cannot be had.
 * @param shared what the file finds on its tag.
 * @returns what the file hands over: it finds the way to do that on its tag, too.
 */
export type LoadScript = <T>(name: string, integrity: string, shared?: unknown) => Promise<T>;

/** The tag of a further file. */
export interface LoadedScript extends HTMLScriptElement {
  /** Hands over what the file has. */
  readonly done: (handedOver: unknown) => void;
}

/** What the file of stage two hands over. */
export type MountByScript = (actions: PageActions, load: LoadScript) => ConsentInterface;

interface AddressRules {
  readonly createScriptURL: (name: string) => string;
}

/** The way to the further files of the script whose tag is given. */
export function scriptLoader(own: HTMLScriptElement | null): LoadScript {
  let policy: AddressRules | undefined;
  return (name, integrity, shared) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.onerror = script.onload = () => {
        script.remove();
        reject(script.src);
      };
      policy ??= createPolicy({ createScriptURL: (file) => new URL(`svc-consent-${file}.js`, own?.src).href });
      Object.assign(script, { crossOrigin: '', integrity, nonce: own?.nonce ?? '', svc: shared, done: resolve });
      script.src = policy.createScriptURL(name);
      document.head.append(script);
    });
}

/** Under Trusted Types a policy that lets nothing else pass. Without, or where the page does not allow it, the bare rules. */
function createPolicy(rules: AddressRules): AddressRules {
  try {
    return (window as unknown as { trustedTypes: TrustedTypes }).trustedTypes.createPolicy('svc-consent', rules);
  } catch {
    return rules;
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: AddressRules): AddressRules;
}
