const names = { auto: 'as the system', light: 'light', dark: 'dark' } as const;
type Theme = keyof typeof names;
const order: readonly Theme[] = ['auto', 'light', 'dark'];

/** Switches at each press from the colors of the system to light, to dark and back, and stores the choice. */
export function startThemeSwitch(button: HTMLButtonElement): void {
  const page = document.documentElement;
  const read = (): Theme => (page.dataset.theme as Theme | undefined) ?? 'auto';
  const label = () => button.setAttribute('aria-label', `Colors: ${names[read()]}`);
  label();
  button.addEventListener('click', () => {
    const next = order[(order.indexOf(read()) + 1) % order.length] ?? 'auto';
    if (next === 'auto') delete page.dataset.theme;
    else page.dataset.theme = next;
    keep(next);
    label();
  });
}

function keep(theme: Theme): void {
  try {
    if (theme === 'auto') localStorage.removeItem('svc-docs-theme');
    else localStorage.setItem('svc-docs-theme', theme);
  } catch {
    // Storage is blocked: the choice applies to this page.
  }
}
