const names = { auto: 'as the system', light: 'light', dark: 'dark' } as const;
type Theme = keyof typeof names;
const order: readonly Theme[] = ['auto', 'light', 'dark'];

/** Makes the button go round: as the system, light, dark. The choice is kept. */
export function startThemeSwitch(button: HTMLButtonElement): void {
  const page = document.documentElement;
  const read = (): Theme => (page.dataset.theme as Theme | undefined) ?? 'auto';
  const tell = () => button.setAttribute('aria-label', `Colours: ${names[read()]}`);
  tell();
  button.addEventListener('click', () => {
    const next = order[(order.indexOf(read()) + 1) % order.length] ?? 'auto';
    if (next === 'auto') delete page.dataset.theme;
    else page.dataset.theme = next;
    keep(next);
    tell();
  });
}

function keep(theme: Theme): void {
  try {
    if (theme === 'auto') localStorage.removeItem('svc-docs-theme');
    else localStorage.setItem('svc-docs-theme', theme);
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
}
