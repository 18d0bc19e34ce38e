import { findBacking } from './find-backing.ts';
import { blend, measureContrast, readColor } from './read-color.ts';

/** The least contrast of words that anybody can make out. Of what can be read well WCAG asks 4.5. */
const LEAST_CONTRAST = 1.3;

/** The words of a button that take room on the page, each with the box that they fill. */
export function listWords(button: HTMLElement): readonly { readonly around: HTMLElement; readonly box: DOMRect }[] {
  return listTexts(button).map((text) => {
    const range = new Range();
    range.selectNodeContents(text);
    return { around: text.parentElement as HTMLElement, box: range.getBoundingClientRect() };
  });
}

/** Whether a button shows words within it, or a picture in their stead. */
export function hasVisibleWords(button: HTMLElement): boolean {
  if (hasPicture(button)) return true;
  const whole = button.getBoundingClientRect();
  return listWords(button).some(({ around, box }) => isWithin(box, whole) && isShown(around) && isReadable(around));
}

function listTexts(node: Node): readonly Text[] {
  if (node instanceof Text) return node.data.trim() ? [node] : [];
  return [...node.childNodes].flatMap(listTexts);
}

function isWithin(box: DOMRect, whole: DOMRect): boolean {
  const width = Math.min(box.right, whole.right) - Math.max(box.left, whole.left);
  const height = Math.min(box.bottom, whole.bottom) - Math.max(box.top, whole.top);
  return width >= 1 && height >= 1;
}

function isShown(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

function hasPicture(button: HTMLElement): boolean {
  const whole = button.getBoundingClientRect();
  const pictures = [...button.querySelectorAll('svg,img,canvas')];
  if (pictures.some((one) => isShown(one) && isWithin(one.getBoundingClientRect(), whole))) return true;
  return ['', '::before', '::after'].some((part) => {
    const { content, backgroundImage, maskImage } = getComputedStyle(button, part || null);
    if (part && /^(none|normal)$/.test(content)) return false;
    // A gradient is a background, and an empty string makes a box to be painted.
    return (
      [backgroundImage, maskImage].some((image) => /url\(/.test(image)) || (part !== '' && !/^(["'])\1$/.test(content))
    );
  });
}

/** Whether words have enough contrast with their background. If that is not a plain colour, it is unknown. */
function isReadable(element: HTMLElement): boolean {
  const { color, webkitTextFillColor, backgroundClip } = getComputedStyle(element);
  // Words may be cut out of a background; and a visitor may have colours of their own.
  if (backgroundClip === 'text' || matchMedia('(forced-colors: active)').matches) return true;
  const own = readColor(webkitTextFillColor || color);
  if (own?.[3] === 0) return false;
  const behind = findBacking(element);
  return !own || !behind || measureContrast(blend(own, behind), behind) >= LEAST_CONTRAST;
}
