import type { Purposes } from './stored-decision.ts';

/** The purposes that a tag waits for: `data-svc-purpose="statistics marketing"` needs both. One without waits for ever. */
export function readNeeds(tag: HTMLElement): readonly string[] {
  return tag.dataset.svcPurpose?.match(/[^\s,]+/g) ?? [''];
}

/**
 * Lets the tags go whose purposes are all granted, in document order and each in a task of its own, and takes back what
 * is granted no more. A script that ran has run.
 * @param nonce of our own script tag: on a page with nonces, a script without it was not written by the page.
 * @returns the frames that wait.
 */
export function releaseTags(
  released: WeakSet<Element>,
  purposes: Purposes,
  nonce: string | undefined,
): readonly HTMLElement[] {
  const waiting: HTMLElement[] = [];
  for (const tag of document.querySelectorAll<HTMLElement>('[data-svc-purpose]')) {
    const isGranted = readNeeds(tag).every((key) => purposes[key] === true);
    const isScript = tag instanceof HTMLScriptElement;
    if (!isGranted && tag instanceof HTMLIFrameElement) waiting.push(tag);
    if (isGranted === released.has(tag) || (isScript && (!isGranted || (nonce && tag.nonce !== nonce)))) continue;
    if (isGranted) {
      released.add(tag);
      setTimeout(() => released.has(tag) && setAddresses(tag, isGranted, isScript));
    } else {
      released.delete(tag);
      setAddresses(tag, isGranted, true);
    }
  }
  return waiting;
}

/** Gives a tag what its `data-src`, `data-srcset`, `data-href` and `data-type` say, or takes it away again. */
function setAddresses(tag: HTMLElement, isGranted: boolean, isRenewed: boolean): void {
  if (isRenewed) tag.removeAttribute('type');
  for (const name of ['type', 'src', 'srcset', 'href']) {
    const value = tag.dataset[name];
    if (!value) continue;
    if (isGranted) tag.setAttribute(name, value);
    else tag.removeAttribute(name);
  }
  // A script runs when it is inserted, a frame forgets. It is the same element, so the nonce, the integrity, and under
  // Trusted Types what the parser wrote into it, stay as the page gave them.
  if (isRenewed) tag.parentNode?.insertBefore(tag, tag.nextSibling);
}
