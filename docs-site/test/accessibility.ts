import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules that compare colors: they cost the most by far, and elements that look alike have the same violations. */
const colourRules = ['color-contrast', 'link-in-text-block'];

interface LookingPage {
  readonly axe: typeof axe;
  /** An element for every look. */
  looks: ReadonlyMap<string, Element>;
}

/** Puts axe into the page that is open. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** Looks at the colors of pages: at every look of a text once, however often and on however many pages it is there. */
export class ColourCheck {
  readonly #seen = new Set<string>();

  /** @param surroundings in which the page is, such as dark colors. */
  async assertReadable(page: Page, surroundings: string): Promise<void> {
    const looks = await page.evaluate(collectLooks);
    const fresh = looks.filter((look) => !this.#seen.has(surroundings + look));
    if (fresh.length > 0)
      await assertNothingFound(page.evaluate(findPoorColours, { fresh, rules: colourRules }), surroundings);
    for (const look of fresh) this.#seen.add(surroundings + look);
  }
}

/** Looks at everything of a page but its colors. */
export async function assertAccessible(page: Page, surroundings: string): Promise<void> {
  await assertNothingFound(page.evaluate(findBarriers, colourRules), surroundings);
}

async function assertNothingFound(running: Promise<readonly axe.Result[]>, surroundings: string): Promise<void> {
  const violations = await running;
  const reports = violations.map(({ id, nodes }) => {
    const parts = nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`);
    return `${id}: ${parts.join('\n')}`;
  });
  assert.deepEqual(reports, [], surroundings);
}

/** Names every look: the colors of a text and of what is behind it, as the styles set them. */
function collectLooks(): readonly string[] {
  const grounds = new WeakMap<Element, string>();
  const nameGround = (element: Element): string => {
    const known = grounds.get(element);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(element);
    const isPainted = backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none' || opacity !== '1';
    const isMoved = position !== 'static' && position !== 'relative';
    const own = isPainted || isMoved ? `${backgroundColor} ${backgroundImage} ${opacity} ${position}>` : '';
    const name = `${element.parentElement === null ? '' : nameGround(element.parentElement)}${own}`;
    grounds.set(element, name);
    return name;
  };
  const looks = new Map<string, Element>();
  for (const element of document.body.querySelectorAll('*')) {
    const isField = element.matches('input, select, textarea, button');
    const isText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    if (!(isField || isText) || !element.checkVisibility()) continue;
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(element);
    const around = element.parentElement === null ? '' : getComputedStyle(element.parentElement).color;
    const text = [element.localName, color, around, fontSize, fontWeight, textDecorationLine, textShadow];
    const look = `${nameGround(element)} ${text.join()}`;
    if (!looks.has(look)) looks.set(look, element);
  }
  (window as unknown as LookingPage).looks = looks;
  return [...looks.keys()];
}

async function findPoorColours(wanted: {
  readonly fresh: readonly string[];
  readonly rules: readonly string[];
}): Promise<readonly axe.Result[]> {
  const { axe: inPage, looks } = window as unknown as LookingPage;
  const include = wanted.fresh.map((look) => looks.get(look)).filter((element) => element !== undefined);
  const runOnly = { type: 'rule' as const, values: [...wanted.rules] };
  return (await inPage.run({ include }, { resultTypes: ['violations'], preload: false, runOnly })).violations;
}

async function findBarriers(leftOut: readonly string[]): Promise<readonly axe.Result[]> {
  const { axe: inPage } = window as unknown as LookingPage;
  const off = Object.fromEntries(leftOut.map((id) => [id, { enabled: false }]));
  const rules = { 'target-size': { enabled: true }, ...off };
  return (await inPage.run(document, { resultTypes: ['violations'], preload: false, rules })).violations;
}
