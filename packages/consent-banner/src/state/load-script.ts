import { currentScript } from './current-script.ts';

interface AddressRules {
  readonly createScriptURL: (name: string) => string;
}

/** The script of the tag. */
export const script = currentScript();

let policy: AddressRules | undefined;

/**
 * Loads `svc-consent-{name}.js` from the folder of the script of the tag, checked by its hash. It rejects if that is blocked,
 * changed or unavailable.
 * @param shared what the file needs of the scripts before it.
 */
export function loadScript<T>(name: string, integrity: string, shared: readonly unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const tag = document.createElement('script');
    tag.onerror = tag.onload = () => {
      tag.remove();
      reject(tag.src);
    };
    policy ??= createPolicy({ createScriptURL: (file) => new URL(`svc-consent-${file}.js`, script?.src).href });
    Object.assign(tag, { crossOrigin: '', integrity, nonce: script?.nonce ?? '', svc: shared, done: resolve });
    tag.src = policy.createScriptURL(name);
    document.head.append(tag);
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
