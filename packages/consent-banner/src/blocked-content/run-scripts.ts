import { currentScript } from '../page/document.ts';
import { LateListeners, replaceOwn } from './late-listeners.ts';
import { WrittenMarkup } from './written-markup.ts';

// Released scripts were written for a page that is being parsed, and the page's tags for one that nobody changes:
//
// - `document.write()` would replace the page: `written-markup.ts` inserts what they write behind them.
// - Events that the page has had never come: `late-listeners.ts` calls their listeners.
// - Routers compare the tags of the head with those of the next page: a tag has its own attributes again once it has run, and a
//   copy of it does not run.
// - Placeholders are outside of the tree that a framework hydrates: `placeholder.ts`.

/** The types that run: https://mimesniff.spec.whatwg.org/#javascript-mime-type */
const RUNS = /^$|(java|ecma|j|live)script|^module$/i;

const TIMEOUT = 10_000;

/** The scripts that run or load now, and what they write. */
const running = new Map<HTMLScriptElement, WrittenMarkup>();
/** Scripts of the head by their markup. */
const ran = new Map<string, HTMLScriptElement>();
/** Of the script whose listeners run now, or of an inline one in a shadow tree, where `document.currentScript` is null. */
let active: WrittenMarkup | undefined;
let turn: Promise<unknown> = Promise.resolve();
let waiting = 0;

const late = new LateListeners(
  () => {
    const script = currentScript();
    // There is no current script while a module runs.
    return find() ?? (script ? undefined : [...running].find(([one]) => isModule(one))?.[1]);
  },
  () => note('listener'),
);

/**
 * Scripts run in document order: the next waits until this one has loaded, unless it is `async` or times out.
 * @param insert makes it run; it returns false if consent was withdrawn.
 */
export function runInTurn(script: HTMLScriptElement, insert: () => boolean): void {
  if (isRepeated(script)) return;
  waiting += 1;
  const hadSource = script.hasAttribute('src');
  // Routers compare the tags of the head with those of the next page.
  const restore = (): void => {
    if (!hadSource && script.closest('head')) script.removeAttribute('src');
  };
  const run = (done: () => void): void => runScript(script, insert, done, restore);
  turn = turn
    .then(() => new Promise<void>((done) => setTimeout(run, 0, done)))
    .then(
      () => {
        waiting -= 1;
        runLate();
      },
      () => note('listener'),
    );
}

/**
 * Routers that replace the head insert its scripts again. A script of the head runs once in a page, and routers keep that for
 * scripts that are not blocked.
 */
function isRepeated(script: HTMLScriptElement): boolean {
  if (!script.closest('head')) return false;
  const copy = script.cloneNode(true) as Element;
  copy.removeAttribute('nonce'); // Browsers hide it in a page that has loaded.
  const before = ran.get(copy.outerHTML);
  if (before && (!before.isConnected || running.has(before))) return true;
  ran.set(copy.outerHTML, script);
  return false;
}

/**
 * Runs a script, and inserts behind it what it writes.
 * @param done called when the next script may run.
 * @param onEnd called when it has run, which is later for one that is `async`.
 */
function runScript(
  script: HTMLScriptElement,
  insert: () => boolean,
  done: () => void,
  onEnd: () => void = () => {},
): void {
  const written = new WrittenMarkup(script, runScript);
  const stop = capture();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    late.catchHandlers(written);
    running.delete(script);
    stop();
    onEnd();
    written.end(() => {
      done();
      runLate();
    });
  };
  script.async = script.hasAttribute('async'); // Script-inserted tags are async by default.
  script.addEventListener('load', end);
  script.addEventListener('error', end);
  running.set(script, written);
  const type = script.getAttribute('type');
  const isInline = !(
    script.getAttribute('src') ??
    script.getAttribute('data-svc-src') ??
    script.getAttribute('data-src')
  );
  let isLoading = false;
  call(isInline ? written : active, () => {
    try {
      isLoading = insert() && script.isConnected && RUNS.test(script.type) && (script.src !== '' || isModule(script));
    } catch (error) {
      reportError(error); // Trusted Types do not allow its address.
    }
  });
  const isWaitedFor = isLoading && script.src && !script.async;
  // A copy of it waits, as the page has written it.
  if (type !== null) script.setAttribute('type', type);
  if (!isLoading) end();
  else if (!isWaitedFor) done();
  // After the timeout, it no longer delays the others.
  else setTimeout(done, TIMEOUT);
  // There is no event when an inline module has run.
  if (isLoading && !script.src) setTimeout(end, /\bimport\b/.test(script.text) ? TIMEOUT : 100);
}

function isModule(script: HTMLScriptElement): boolean {
  return [script.type, script.dataset.svcType, script.dataset.type].includes('module');
}

/** Notes for the inspector what a script of a page that is being parsed did. */
function note(name: 'write' | 'listener'): void {
  performance.mark(`svc-consent:${name}`, { detail: currentScript()?.src ?? '' });
}

function find(): WrittenMarkup | undefined {
  const script = currentScript();
  return script ? running.get(script) : active;
}

function call(owner: WrittenMarkup | undefined, work: () => void): void {
  const before = active;
  active = owner;
  work();
  active = before;
}

/** Runs the listeners, once all scripts that may run have run: what they need may be in a later one. */
function runLate(): void {
  if (waiting) return;
  const stop = capture();
  late.run((owner, work) => {
    call(owner, work);
    owner.end(() => {});
  });
  stop();
}

let captures = 0;
let undo: readonly (() => void)[] = [];

/** Directs to us what scripts would do to the whole page, until as many returned functions are called. */
function capture(): () => void {
  captures += 1;
  if (captures === 1) undo = [late.watch(), ...catchWriting()];
  return () => {
    captures -= 1;
    if (captures) return;
    for (const one of undo) one();
  };
}

/** On a page that has loaded, writing to the document replaces all of it. */
function catchWriting(): readonly (() => void)[] {
  const write = (end: string) => (native: (...text: string[]) => void) =>
    function write(...text: string[]): void {
      const written = find();
      if (!written) {
        native.apply(document, text);
        return;
      }
      note('write');
      written.write(text, end);
    };
  return [
    replaceOwn(document, 'write', write('')),
    replaceOwn(document, 'writeln', write('\n')),
    replaceOwn(
      document,
      'open',
      (native) =>
        (...args: []) =>
          find() && args.length < 3 ? document : native.apply(document, args),
    ),
    replaceOwn(document, 'close', (native) => () => (find() ? undefined : native.call(document))),
  ];
}
