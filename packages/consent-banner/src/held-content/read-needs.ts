/** The purposes that a tag needs: `data-svc-purpose="statistics marketing"` needs both. Without any it never loads. */
export function readNeeds(tag: HTMLElement): readonly string[] {
  return tag.dataset.svcPurpose?.match(/[^\s,]+/g) ?? [''];
}

/** The blocked value of an attribute: `data-svc-src`, or `data-src`, which lazy loaders read as well. */
export function readHeld(tag: Element, name: string): string | null {
  return tag.getAttribute(`data-svc-${name}`) || tag.getAttribute(`data-${name}`);
}
