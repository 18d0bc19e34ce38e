import { html, type TemplateResult } from 'lit';
import { words } from './preferences.ts';

/** How long a button says that it has copied. */
const copiedMilliseconds = 5000;

/** A button that copies a text, and says whether it could: a page without HTTPS has no clipboard. */
export function viewCopy(text: string): TemplateResult {
  const copy = async (event: Event): Promise<void> => {
    const button = event.currentTarget as HTMLButtonElement;
    const status = button.nextElementSibling as HTMLElement;
    const isCopied = await writeClipboard(text);
    status.className = isCopied ? 'hidden' : 'quiet';
    status.textContent = isCopied ? words.copied : words.copyFailed;
    if (!isCopied) return;
    button.textContent = words.copied;
    setTimeout(() => {
      button.textContent = words.copy;
      status.textContent = '';
    }, copiedMilliseconds);
  };
  return html`<button type="button" @click=${copy}>${words.copy}</button><span role="status"></span>`;
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
