/** The part of a frame that the page shows, and where it is in the page's layers. */
interface FramePlace {
  readonly box: DOMRect;
  readonly clip: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
  readonly isVisible: boolean;
  readonly isFixed: boolean;
  readonly zIndex: string;
}

/** The element that contains another one in the rendered page, across the borders of shadow trees. */
export function findParent(element: Element): Element | null {
  const { parentNode } = element;
  return element.assignedSlot ?? (parentNode instanceof ShadowRoot ? parentNode.host : element.parentElement);
}

/** Measures a frame as its placeholder must be drawn, which is in another place of the document. */
export function measureFrame(frame: HTMLElement, layer: Element): FramePlace {
  const box = frame.getBoundingClientRect();
  let { left, top, right, bottom } = box;
  let { position } = getComputedStyle(frame);
  let isFixed = false;
  let zIndex = 'auto';
  for (let one: Element | null = frame; one && one !== layer && one.localName !== 'html'; one = findParent(one)) {
    const style = getComputedStyle(one);
    const isPositioned = style.position !== 'static';
    const isLayer = style.transform !== 'none' || style.isolation === 'isolate' || Number(style.opacity) < 1;
    isFixed ||= style.position === 'fixed';
    // The outermost one counts: others order what is in it.
    if (style.zIndex !== 'auto') zIndex = style.zIndex;
    else if (isLayer || /fixed|sticky/.test(style.position)) zIndex = 'auto';
    if (one === frame) continue;
    // An absolute element is not clipped by what is between it and its containing block.
    const isContaining = isPositioned || style.transform !== 'none';
    if (position === 'fixed' || (position === 'absolute' && !isContaining)) continue;
    position = style.position;
    const edge = one.getBoundingClientRect();
    if (style.overflowX !== 'visible') {
      left = Math.max(left, edge.left + one.clientLeft);
      right = Math.min(right, edge.left + one.clientLeft + one.clientWidth);
    }
    if (style.overflowY !== 'visible') {
      top = Math.max(top, edge.top + one.clientTop);
      bottom = Math.min(bottom, edge.top + one.clientTop + one.clientHeight);
    }
  }
  const isVisible = frame.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;
  return { box, clip: { left, top, right, bottom }, isVisible, isFixed, zIndex };
}
