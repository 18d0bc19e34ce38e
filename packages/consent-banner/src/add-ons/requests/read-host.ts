/** The usual form, of which the host can be read as it stands. */
const PLAIN = /^(?:https?|wss?):\/\/((?:[a-z\d-]+\.)*[a-z][a-z\d-]*)(:\d+)?(?=[/?#]|$)/;
/** What is surely of the base's own host. A slash may be two to a browser that skips what stands between. */
const RELATIVE = /^(?:\/(?![/\\\s])|[?#]|[\w.-][^:\\\t\n\r]*$|$)/;
/** What has no host, and may be long. */
const HOSTLESS = /^(?:data|blob|about|javascript):/i;

let knownBase = '';
let baseHost = '';
const readBase = Object.getOwnPropertyDescriptor(globalThis.Node?.prototype ?? {}, 'baseURI')?.get;

/**
 * The host of an address as the page would resolve it, with a port that is not the usual one; empty where there is none.
 * It takes the time of one match for the usual forms, and parses the others (https://url.spec.whatwg.org/#concept-url-parser).
 */
export function readHost(address: string): string {
  const [, host, port = ''] = PLAIN.exec(address) ?? [];
  if (host !== undefined && (port === '' || !/:(80|443)$/.test(port))) return host + port;
  if (HOSTLESS.test(address)) return '';
  const base = readBaseUri();
  if (base !== knownBase) {
    knownBase = base;
    baseHost = URL.canParse(base) ? new URL(base).host : '';
  }
  if (RELATIVE.test(address)) return baseHost;
  return URL.canParse(address, base) ? new URL(address, base).host : '';
}

/** What addresses of the page are relative to. By the getter itself, for an image of the name `baseURI` would take its place. */
export function readBaseUri(): string {
  return String(readBase?.call(document) ?? location.href);
}
