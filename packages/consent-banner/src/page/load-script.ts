import { query } from './browser.ts';
import { currentScript } from './document.ts';

interface AddressRules {
  readonly createScriptURL: (name: string) => string;
}

/** Set by the build. */
declare const SVC_VERSION: string;

/** The script of the tag; for a module the tag with its name. An inlined one, or a blob, has no address. */
export const script = currentScript() ?? query<HTMLScriptElement>('script[src*="svc-consent.js"]');

/** Where the other files are, once that is known. */
let folder: string | undefined;

let policy: AddressRules | undefined;

/**
 * Loads `svc-consent-{name}.js` from the folder of the script of the tag, checked by its hash. It rejects if that is blocked,
 * changed or unavailable.
 * @param shared what the file needs of the scripts before it.
 * @param address of the notice: an inlined script has no folder, and takes the files from its server.
 */
export function loadScript<T>(
  name: string,
  integrity: string,
  shared: readonly unknown[],
  address?: string,
): Promise<T> {
  const files = address?.replace(/v1.public.*/, `widgets/svc-consent/${SVC_VERSION}/`);
  folder ||= [script?.src, files].find((one) => /^http/.test(`${one}`));
  return new Promise((resolve, reject) => {
    const tag = document.createElement('script');
    tag.onerror = tag.onload = () => {
      tag.remove();
      reject(tag.src);
    };
    policy ??= createPolicy({ createScriptURL: (file) => new URL(`svc-consent-${file}.js`, folder).href });
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
