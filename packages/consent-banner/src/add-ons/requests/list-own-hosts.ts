import { readHost } from './read-host.ts';

const OWN = 'svc-consent[api-base], script[src*="/svc-consent"]:not([type="text/plain"])';
const OWN_SCRIPT = /^[^?#]*\/svc-consent(-[a-z]+)?\.js([?#]|$)/;

/**
 * The hosts that the page and its banner come from and talk to: the page's, those of given addresses, of the banner's script tags
 * (without `api-base` the origin of such a tag has the API), and of `api-base` on its elements.
 */
export function listOwnHosts(sources: readonly string[]): readonly string[] {
  const found = Document.prototype.querySelectorAll.call(document, OWN) as NodeListOf<Element>;
  const bases = [...found].map((one) => one.getAttribute('api-base') ?? readScript(one));
  // An empty one is no address: it would be the host of the page's `<base>`.
  return [location.host, ...[...sources, ...bases].filter((one) => one).map(readHost)];
}

function readScript(script: Element): string {
  const address = script.getAttribute('src') ?? '';
  return OWN_SCRIPT.test(address) ? address : '';
}
