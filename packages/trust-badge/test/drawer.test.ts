import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys, sendMouse, setViewport } from '@web/test-runner-commands';
import { restoreMedia } from '../../consent-banner/test/media.ts';
import { choices } from '../src/attributes.ts';
import { drawAgain, find, query, showBadge } from './badge.ts';
import { restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

function isOpen(badge: Element): boolean {
  return query(badge, '[popover]:popover-open') != null;
}

describe('the drawer', () => {
  afterEach(async () => {
    restorePage();
    await restoreMedia();
  });

  for (const theme of choices.theme) {
    it(`is a named dialog that passes axe in ${theme}`, async () => {
      const { badge } = await showBadge({ variant: 'floating', theme });
      find(badge, '[part~=trigger]').click();
      const drawer = find(badge, '[role=dialog]:popover-open');
      expect(find(badge, `#${drawer.getAttribute('aria-labelledby')}`)).to.have.text('Acme Health');
      await expect(badge).to.be.accessible();
    });
  }

  it('works by keyboard: opens, takes the focus, and Escape returns it to the button', async () => {
    const before = document.body.appendChild(document.createElement('button'));
    const { badge } = await showBadge({ variant: 'floating' });
    before.focus();
    await sendKeys({ press: 'Tab' });
    expect(badge.shadowRoot?.activeElement).to.equal(find(badge, '[part~=trigger]'));
    await sendKeys({ press: 'Enter' });
    expect(isOpen(badge)).to.equal(true);
    const close = find(badge, '[popover] button');
    expect(badge.shadowRoot?.activeElement).to.equal(close);
    expect(close.getAttribute('aria-label')).to.equal('Close');
    await sendKeys({ press: 'Tab' });
    expect(badge.shadowRoot?.activeElement).to.equal(find(badge, '[part=cta]'));
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !isOpen(badge), 'the drawer closes');
    expect(badge.shadowRoot?.activeElement).to.equal(find(badge, '[part~=trigger]'));
    before.remove();
  });

  it('scrolls as a whole in a small window, with the initial focus on its button', async () => {
    await setViewport({ width: 320, height: 256 });
    const { badge } = await showBadge({ variant: 'floating', size: 'lg' });
    find(badge, '[part~=trigger]').click();
    const drawer = find(badge, '[popover]');
    expect(drawer.scrollHeight).to.be.above(drawer.clientHeight);
    expect(badge.shadowRoot?.activeElement).to.equal(find(badge, '[popover] button'));
    await setViewport({ width: 800, height: 600 });
  });

  it('closes by its button, and the focus returns', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    find(badge, '[popover] button').focus();
    await sendKeys({ press: 'Space' });
    expect(isOpen(badge)).to.equal(false);
    expect(badge.shadowRoot?.activeElement).to.equal(find(badge, '[part~=trigger]'));
  });

  it('closes on a click beside it, not on one inside, and the page takes the click', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    await drawAgain();
    const { x, y } = find(badge, '[popover] .name').getBoundingClientRect();
    await sendMouse({ type: 'click', position: [Math.round(x) + 2, Math.round(y) + 2] });
    expect(isOpen(badge)).to.equal(true);
    await sendMouse({ type: 'click', position: [5, 5] });
    expect(isOpen(badge)).to.equal(false);
  });

  it('stays open if a text selection ends outside', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    const { x, y } = find(badge, '[popover] .name').getBoundingClientRect();
    await sendMouse({ type: 'move', position: [Math.round(x) + 2, Math.round(y) + 2] });
    await sendMouse({ type: 'down' });
    await sendMouse({ type: 'move', position: [5, 5] });
    await sendMouse({ type: 'up' });
    expect(isOpen(badge)).to.equal(true);
    await sendMouse({ type: 'click', position: [5, 5] });
    expect(isOpen(badge)).to.equal(false);
  });

  it('closes when its element is removed, and opens again afterwards', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    badge.remove();
    document.body.append(badge);
    await drawAgain();
    expect(query(badge, ':popover-open')).to.equal(null);
    find(badge, '[part~=trigger]').click();
    expect(isOpen(badge)).to.equal(true);
  });

  it('stays open while attributes change', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    badge.theme = 'dark';
    badge.locale = 'fr';
    await waitUntil(() => find(badge, '.root').lang === 'fr', 'it is in French');
    expect(isOpen(badge)).to.equal(true);
    expect(find(badge, '[part=cta]')).to.have.text('Voir le centre de confiance');
  });

  for (const position of choices.position) {
    it(`and its button are at the ${position} of the window, in either writing direction`, async () => {
      for (const locale of ['en', 'ar']) {
        const { badge } = await showBadge({ variant: 'floating', position, locale });
        const button = find(badge, '[part~=float-button]');
        button.click();
        await Promise.allSettled(
          find(badge, '[popover]')
            .getAnimations()
            .map(({ finished }) => finished),
        );
        for (const element of [button, find(badge, '[popover]')]) {
          const { top, left, bottom, right } = element.getBoundingClientRect();
          const { clientWidth, clientHeight } = document.documentElement;
          const distances = { top, left, bottom: innerHeight - bottom, right: clientWidth - right };
          for (const side of position.split('-')) {
            expect(distances[side as 'top'], `${locale} ${side} ${clientHeight}`).to.be.closeTo(16, 1);
          }
        }
        badge.remove();
      }
    });
  }

  it('does not move with reduced motion', async () => {
    const { badge } = await showBadge({ variant: 'floating' });
    find(badge, '[part~=trigger]').click();
    expect(badge.shadowRoot?.getAnimations()).to.have.length(1);
    find(badge, '[popover] button').click();
    await emulateMedia({ reducedMotion: 'reduce' });
    find(badge, '[part~=trigger]').click();
    expect(badge.shadowRoot?.getAnimations()).to.be.empty;
  });

  it('stays inside the window of a phone, where its button is a square', async () => {
    await setViewport({ width: 375, height: 640 });
    const name = 'Datenschutzgrundverordnungsbeauftragtenstelle';
    const { badge } = await showBadge({ variant: 'floating' }, { name, achievedFrameworks: [name, `${name} 2`] });
    const button = find(badge, '[part~=trigger]');
    const { width, height } = button.getBoundingClientRect();
    expect([width, height]).to.deep.equal([48, 48]);
    expect(button.textContent?.trim(), 'for screen readers').to.equal('Trust center');
    button.click();
    const { left, right } = find(badge, '[popover]').getBoundingClientRect();
    expect([left, right]).to.deep.equal([16, 359]);
    await setViewport({ width: 800, height: 600 });
  });

  it('has its link below the name, with frameworks or without', async () => {
    for (const achievedFrameworks of [['GDPR'], []]) {
      const { badge } = await showBadge({ variant: 'floating' }, { achievedFrameworks });
      find(badge, '[part~=trigger]').click();
      const [name, link] = ['.name', '.cta'].map((part) => find(badge, part).getBoundingClientRect());
      expect(link?.top).to.be.above(name?.bottom ?? 0);
      expect(name?.height, 'a line').to.be.below(40);
      badge.remove();
    }
  });

  it('adds nothing to the height of the page', async () => {
    const before = document.documentElement.scrollHeight;
    const { badge } = await showBadge({ variant: 'floating' });
    expect(document.documentElement.scrollHeight).to.equal(before);
    expect(getComputedStyle(badge).display).to.equal('contents');
  });
});
