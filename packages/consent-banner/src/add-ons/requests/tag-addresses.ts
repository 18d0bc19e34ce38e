import { attempt } from '../../stub/attempt.ts';

/** The tags of HTML that load something, and the attributes that say what. */
export const addressNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['script', ['src']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['link', ['href', 'imagesrcset']],
  ['audio', ['src']],
  ['video', ['src', 'poster']],
  ['source', ['src', 'srcset']],
  ['embed', ['src']],
  ['track', ['src']],
  ['input', ['src']],
]);

const SVG_SCRIPT: readonly string[] = ['href', 'xlink:href'];

/** Links that load nothing, such as `canonical`, are none of ours. */
const LOADING =
  /(^|\s)(stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|prefetch|prerender|preconnect|dns-prefetch|manifest|compression-dictionary)(\s|$)/i;

/** The types that run, and those that change what others do (https://html.spec.whatwg.org/#prepare-the-script-element). */
const RUNNABLE =
  /^(|module|importmap|speculationrules|(text|application)\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/i;

// As they are before anybody replaces them, and without what a form's controls would put in their place.
const prototype = globalThis.Element?.prototype ?? {};
const { getAttribute, setAttribute, removeAttribute } = prototype;

export function readAttribute(tag: Element, name: string): string | null {
  return getAttribute.call(tag, name);
}

/** Null removes it. An unchanged value is not written: a lazy loader that observes its `data-src` would start again. */
export function writeAttribute(tag: Element, name: string, value: string | null): void {
  if (value === null) removeAttribute.call(tag, name);
  else if (readAttribute(tag, name) !== value) setAttribute.call(tag, name, value);
}

/** The attributes of a tag that say what it loads. */
export function listAddressNames(tag: Element): readonly string[] {
  if (isSvgScript(tag)) return SVG_SCRIPT;
  return tag.namespaceURI === 'http://www.w3.org/1999/xhtml' ? (addressNames.get(tag.localName) ?? []) : [];
}

function isSvgScript(tag: Element): boolean {
  return tag.localName === 'script' && tag.namespaceURI === 'http://www.w3.org/2000/svg';
}

export function isScript(tag: Element): boolean {
  return tag.localName === 'script';
}

/** A link without a relation may still get one. */
export function isLoadingRelation(rel: string | null): boolean {
  return !rel || LOADING.test(rel);
}

export function isRunnable(type: string | null): boolean {
  return RUNNABLE.test((type ?? '').trim());
}

/** `async` is true by itself for a script that a script has made, and lasts only as an attribute. */
export function isAsync(script: Element): boolean {
  return attempt(() => Reflect.get(HTMLScriptElement.prototype, 'async', script) as boolean) === true;
}
