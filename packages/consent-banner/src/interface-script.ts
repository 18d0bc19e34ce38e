// Stage two, which stage one loads by its hash. It hands itself over and defines no global.
import { mountInterface } from './mount-interface.ts';
import type { PanelParts } from './mount-panel.ts';
import { shared } from './shared.ts';
import { currentScript } from './stub/current-script.ts';
import type { LoadedScript, MountByScript } from './stub/load-script.ts';

/** Set by the build. */
declare const SVC_PANEL_INTEGRITY: string;
declare const SVC_WORDS_INTEGRITY: string;

const WORDS_TIMEOUT = 5_000;

const script = currentScript() as Partial<LoadedScript & HTMLScriptElement> | null;
const folder = new URL('words/', script?.src).href;

/** Each file of words is checked by a hash in a list, and the list by its own hash, so that words cannot be tampered with. */
async function loadLanguage(language: string): Promise<unknown> {
  const hashes = (await loadFile('integrity', SVC_WORDS_INTEGRITY)) as Readonly<Record<string, string>>;
  return loadFile(language, hashes[language] as string);
}

async function loadFile(name: string, integrity: string): Promise<unknown> {
  const response = await fetch(`${folder}${name}.json`, {
    integrity,
    credentials: 'omit',
    signal: AbortSignal.timeout(WORDS_TIMEOUT),
  });
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response.json();
}

const mount: MountByScript = (actions, load) =>
  mountInterface(actions, {
    loadLanguage,
    loadPanel: () => load<() => PanelParts>('panel', SVC_PANEL_INTEGRITY, shared),
  });
// Without stage one's tag it does nothing.
script?.done?.(mount);
