import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { find, showBadge } from './badge.ts';

describe('on a hostile page', () => {
  for (const phase of ['up', 'down'] as const)
    it(`opens and closes its drawer by keys that the page swallows on the way ${phase}`, async () => {
      const swallow = (event: KeyboardEvent): void => {
        if (!/^(INPUT|BUTTON|A)$/.test((event.target as Element).tagName)) event.preventDefault();
      };
      document.addEventListener('keydown', swallow, phase === 'down');
      const { badge } = await showBadge({ variant: 'floating' });
      find(badge, '[part~=trigger]').focus();
      await sendKeys({ press: 'Enter' });
      const drawer = find(badge, '[popover]');
      expect(drawer.matches(':popover-open')).to.equal(true);
      await sendKeys({ press: 'Escape' });
      expect(drawer.matches(':popover-open')).to.equal(false);
      document.removeEventListener('keydown', swallow, phase === 'down');
      badge.remove();
    });

  it('has its data where toISOString is another', async () => {
    const { toISOString } = Date.prototype;
    Date.prototype.toISOString = () => 'today';
    const { badge } = await showBadge();
    expect(find(badge, '[part=live]').textContent?.trim()).to.match(/^Updated/);
    Date.prototype.toISOString = toISOString;
    badge.remove();
  });
});
