// Scripts of every page, which is readable without them.
import { addCopyButtons } from './copy-buttons.ts';
import { markCurrentHeading } from './current-heading.ts';
import { startTabs } from './tabs.ts';
import { startThemeSwitch } from './theme-switch.ts';

const themeSwitch = document.querySelector<HTMLButtonElement>('[data-theme-switch]');
if (themeSwitch !== null) startThemeSwitch(themeSwitch);
addCopyButtons();
startTabs();
markCurrentHeading();
document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'nearest', behavior: 'instant' });

// Loaded on first use: most readers never search.
const openSearch = async () => (await import('./search-dialog.ts')).openSearch();

document.querySelector('[data-search]')?.addEventListener('click', (event) => {
  event.preventDefault();
  void openSearch();
});
document.addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
  const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
  if (!isSlash && !isControlK) return;
  event.preventDefault();
  void openSearch();
});

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
