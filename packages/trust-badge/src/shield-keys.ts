/**
 * Keeps keys in badges from the handlers of the page. These see the element as the target, which is no form control: shortcuts
 * would swallow Space, Enter and Escape. What the browser does with a key by itself still happens.
 */
export function shieldKeys(): void {
  // On the way down from the window, before the handlers of the document.
  for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, shield, true);
}

function shield(event: Event): void {
  // The window is no node. The site's own link in the slot is the page's.
  const root = (event.composedPath()[0] as Partial<Node>).getRootNode?.() as Partial<ShadowRoot> | undefined;
  if (root?.host?.localName === 'svc-trust-badge') event.stopImmediatePropagation();
}
