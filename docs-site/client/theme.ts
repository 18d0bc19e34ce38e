// Runs before anything is drawn, so that no page shows in the wrong colors first.
const page = document.documentElement;
page.classList.add('has-script');
try {
  const theme = localStorage.getItem('svc-docs-theme');
  if (theme === 'light' || theme === 'dark') page.dataset.theme = theme;
} catch {
  // Storage is blocked: the colors are those of the system.
}
