import type { LoadInterface, MountInterface } from './consent-state.ts';

/** The second file's name, without its ending, and the event by which it hands itself over on its own script element. */
export const interfaceName = 'svc-consent-ui';

interface TrustedTypes {
  createPolicy(name: string, rules: object): { createScriptURL(address: string): string };
}

/**
 * How to load the interface, from beside our own script and with bytes that are known by their hash. It rejects when that
 * is blocked, changed or cannot be had.
 */
export function scriptLoader(own: HTMLScriptElement | null, integrity: string): LoadInterface {
  let trusted: string | undefined;
  return () =>
    new Promise<MountInterface>((resolve, reject) => {
      const script = document.createElement('script');
      const address = new URL(`${interfaceName}.js`, own?.src).href;
      trusted ??= trustAddress(address);
      script.addEventListener(interfaceName, (event) => resolve((event as CustomEvent<MountInterface>).detail));
      script.onerror = script.onload = () => {
        script.remove();
        reject(address);
      };
      script.crossOrigin = 'anonymous';
      script.integrity = integrity;
      script.nonce = own?.nonce ?? '';
      script.src = trusted;
      document.head.append(script);
    });
}

/** Under Trusted Types by a policy that lets nothing else pass. Without, or where the page does not allow it, as it is. */
function trustAddress(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  try {
    return trustedTypes?.createPolicy('svc-consent', { createScriptURL: () => address }).createScriptURL('') ?? address;
  } catch {
    return address;
  }
}
