// Stage two, which stage one loads by its hash. It hands itself over and leaves no name behind.
import { mountInterface } from './mount-interface.ts';
import type { MountInterface } from './stub/consent-state.ts';
import { currentScript } from './stub/current-script.ts';
import { interfaceName } from './stub/load-interface.ts';

const WORDS_TIMEOUT = 5_000;

const script = currentScript();
const folder = new URL('words/', script?.src).href;

async function fetchWords(language: string): Promise<unknown> {
  const response = await fetch(`${folder}${language}.json`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(WORDS_TIMEOUT),
  });
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response.json();
}

const detail: MountInterface = (actions) => mountInterface(actions, fetchWords);
script?.dispatchEvent(new CustomEvent(interfaceName, { detail }));
