/** Gives every block of code a button that copies it. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure.code')) {
    if (figure.dataset.language === 'output') continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    const label = figure.querySelector('pre')?.getAttribute('aria-label') ?? 'code';
    button.setAttribute('aria-label', `Copy: ${label}`);
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(figure, button));
    figure.querySelector('figcaption')?.append(button);
  }
}

async function copy(figure: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const pre = figure.querySelector('pre');
  if (pre === null) return;
  try {
    await navigator.clipboard.writeText(pre.textContent);
    say(button, 'Copied');
  } catch {
    // The browser forbids it: the reader can copy the selection.
    getSelection()?.selectAllChildren(pre);
    say(button, 'Press Ctrl+C');
  }
}

function say(button: HTMLButtonElement, word: string): void {
  button.textContent = word;
  announce(word);
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

let announcer: HTMLElement | undefined;

/** Announces a text to screen readers. */
function announce(text: string): void {
  if (announcer === undefined) {
    announcer = document.createElement('div');
    announcer.className = 'unseen';
    announcer.role = 'status';
    document.body.append(announcer);
  }
  announcer.textContent = text;
}
