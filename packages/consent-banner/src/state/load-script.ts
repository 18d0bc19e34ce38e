/** The tag of a further file. */
export interface LoadedScript extends HTMLScriptElement {
  /** Passes the exports of the file. */
  readonly done: (handedOver: unknown) => void;
}

interface AddressRules {
  readonly createScriptURL: (name: string) => string;
}

let policy: AddressRules | undefined;

/**
 * Loads `svc-consent-{name}.js` from the folder of a script, checked by its hash. It rejects if that is blocked, changed or
 * unavailable.
 * @param shared values that the file finds on its tag.
 * @returns what the file exports through a function on its tag.
 */
export function loadScript<T>(
  own: HTMLScriptElement | null,
  name: string,
  integrity: string,
  shared: unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
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

/** Under Trusted Types, a policy that allows only these URLs. Otherwise, or if the page forbids it, the plain functions. */
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
