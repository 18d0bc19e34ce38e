const key = 'svc-docs-tab';
let serial = 0;

/** Turns stacked blocks of code into tabs. A choice applies to every group of tabs that has it, on every page. */
export function startTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('.tabs')) {
    const figures = [...group.querySelectorAll<HTMLElement>(':scope > figure')];
    if (figures.length > 1) buildTabs(group, figures);
  }
  choose(readKept());
}

function buildTabs(group: HTMLElement, figures: readonly HTMLElement[]): void {
  const list = document.createElement('div');
  list.role = 'tablist';
  list.className = 'tab-list';
  list.setAttribute('aria-label', 'Languages');
  serial += 1;
  for (const [index, figure] of figures.entries()) {
    const title = figure.querySelector('.code-title')?.textContent ?? String(index + 1);
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.id = `tab-${serial}-${index}`;
    tab.textContent = title;
    tab.setAttribute('aria-controls', `panel-${serial}-${index}`);
    const panel = document.createElement('div');
    panel.id = `panel-${serial}-${index}`;
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', tab.id);
    figure.replaceWith(panel);
    panel.append(figure);
    panel.addEventListener('beforematch', () => choose(title));
    tab.addEventListener('click', () => {
      keep(title);
      keepPlace(tab, () => choose(title));
    });
    list.append(tab);
  }
  list.addEventListener('keydown', (event) => moveFocus(event, list));
  group.prepend(list);
  select(group, 0);
}

/** Keeps a tab where it is in the window, because the blocks above it may become longer or shorter. */
function keepPlace(tab: HTMLElement, change: () => void): void {
  const before = tab.getBoundingClientRect().top;
  change();
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
}

function choose(title: string): void {
  for (const group of document.querySelectorAll<HTMLElement>('.tabs')) {
    const index = [...group.querySelectorAll('[role=tab]')].findIndex((tab) => tab.textContent === title);
    if (index >= 0) select(group, index);
  }
}

function select(group: HTMLElement, chosen: number): void {
  for (const [index, tab] of [...group.querySelectorAll<HTMLElement>('[role=tab]')].entries()) {
    tab.setAttribute('aria-selected', String(index === chosen));
    tab.tabIndex = index === chosen ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
    // The browser's search also finds what is behind another tab.
    if (index === chosen) panel?.removeAttribute('hidden');
    else panel?.setAttribute('hidden', 'until-found');
  }
}

function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const places: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const place = places[event.key];
  if (place === undefined) return;
  event.preventDefault();
  const tab = tabs.at(place % tabs.length);
  tab?.focus();
  tab?.click();
}

function readKept(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

function keep(title: string): void {
  try {
    localStorage.setItem(key, title);
  } catch {
    // Storage is blocked: the choice applies to this page.
  }
}
