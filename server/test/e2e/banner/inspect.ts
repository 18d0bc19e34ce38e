import axe from 'axe-core';

/** Evaluates code in a page: each browser has its own way. */
export interface Inspectable {
  evaluate<T>(expression: string): Promise<T>;
}

/** The faults of what a page shows now, in words; empty if there are none. */
export async function inspectPage(page: Inspectable, { forcedColors = false } = {}): Promise<readonly string[]> {
  const ignored = JSON.stringify(forcedColors ? ['color-contrast'] : []);
  if (await page.evaluate('typeof axe === "undefined"'))
    await page.evaluate(`void (0, eval)(${JSON.stringify(axe.source)})`);
  const found = await page.evaluate<readonly string[]>(`(${runAxe})(${ignored})`);
  return [...found, ...(await page.evaluate<readonly string[]>(`(${measureControls})()`))];
}

/** Every rule of axe: WCAG 2.2 A and AA, and its best practices. System colours are excluded. */
async function runAxe(ignored: readonly string[]): Promise<readonly string[]> {
  const { axe: inPage } = window as unknown as { axe: typeof axe };
  const off = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]));
  const rules = { 'target-size': { enabled: true }, ...off };
  const { violations } = await inPage.run(document, { rules });
  return violations.map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Controls of 44 px and more, layers inside the window, and no horizontal scrolling. */
function measureControls(): readonly string[] {
  const found: string[] = [];
  const roots = [...document.querySelectorAll('svc-consent, svc-consent-placeholder')].flatMap(
    ({ shadowRoot }) => shadowRoot ?? [],
  );
  const isShown = (element: HTMLElement): boolean =>
    element.checkVisibility() && element.getBoundingClientRect().width > 0;
  const select = (root: ShadowRoot, selector: string): readonly HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>(selector)].filter(isShown);
  for (const root of roots) {
    for (const control of select(root, 'button, input, summary')) {
      const { width, height } = control.getBoundingClientRect();
      // Over content of 120 × 90 px there is room for two of 40 px.
      const least = root.host.localName !== 'svc-consent' && (root.host as HTMLElement).offsetHeight < 128 ? 40 : 44;
      if (Math.min(width, height) < least - 0.01) found.push(`${width} × ${height}: ${control.outerHTML}`);
    }
    for (const layer of select(root, '.layer')) {
      const { left, top, right, bottom } = layer.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      if (!isInside) found.push(`${layer.className} leaves the window: ${left} ${top} ${right} ${bottom}`);
    }
    for (const box of select(root, '.layer, .layer *')) {
      const isScrolled = box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY === 'auto';
      if (isScrolled && box.clientHeight < Math.min(160, innerHeight / 4))
        found.push(`${box.localName}.${box.className} shows only ${box.clientHeight} of ${box.scrollHeight} px`);
      // A clamped text ends in an ellipsis, which is outside of it where the script changes its direction.
      if (
        !box.closest('svg, .clamp') &&
        getComputedStyle(box).display !== 'inline' &&
        box.scrollWidth > box.clientWidth + 1
      )
        found.push(
          `${box.localName}.${box.className} is wider than its place: ${box.scrollWidth} > ${box.clientWidth}`,
        );
    }
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push(`the page scrolls sideways: ${scrollWidth} > ${clientWidth}`);
  return found;
}
