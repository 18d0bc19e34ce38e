/** Ends what is complete: behind an open element or tag it would be parsed as a part of that. */
const END = 'svc-consent-end';

/** The elements that a head may contain. */
const METADATA = 'base,link,meta,noscript,script,style,template,title';

type RunWritten = (script: HTMLScriptElement, insert: () => boolean, done: () => void) => void;

/** Inserts what a script writes with `document.write()` behind the script, as the parser would have. */
export class WrittenMarkup {
  readonly #script: HTMLScriptElement;
  readonly #run: RunWritten;
  /** Written scripts, and where they belong: they run in order, and each waits for the one before. */
  readonly #scripts: (readonly [HTMLScriptElement, ChildNode])[] = [];
  /** Text with an open element. */
  #pending = '';
  #last: ChildNode;
  #lastInBody: ChildNode | null = null;
  #isRunning = false;
  #done: (() => void) | undefined;

  constructor(script: HTMLScriptElement, run: RunWritten) {
    this.#script = script;
    this.#last = script;
    this.#run = run;
  }

  /** Inserts what is complete. @throws TypeError for text where Trusted Types forbid it, as `document.write()` does. */
  write(parts: readonly unknown[], end = ''): void {
    if (!parts.length) return;
    // A trusted value stays one.
    if (!end && !this.#pending && parts.length === 1 && typeof parts[0] === 'object') {
      this.#insert(this.#parse(parts[0]));
      return;
    }
    this.#pending += parts.join('') + end;
    const fragment = this.#parse(`${this.#pending}<${END}></${END}>`);
    const last = fragment.lastChild as Element | null;
    if (last?.localName !== END) return;
    last.remove();
    this.#pending = '';
    this.#insert(fragment);
  }

  /** Inserts the rest. @param done called once all written scripts have run. */
  end(done: () => void): void {
    this.#done = done;
    const rest = this.#pending;
    this.#pending = '';
    if (rest) this.#insert(this.#parse(rest));
    this.#runNext();
  }

  #insert(fragment: DocumentFragment): void {
    for (const script of fragment.querySelectorAll('script')) {
      const place = document.createTextNode('');
      script.replaceWith(place);
      this.#scripts.push([script, place]);
    }
    if (!this.#last.isConnected) this.#last = this.#script;
    const places = this.#scripts.map(([, place]) => place);
    const isMetadata = (node: ChildNode): boolean =>
      node instanceof Element ? node.matches(METADATA) : places.includes(node) || !node.textContent?.trim();
    if (this.#script.isConnected && !this.#script.closest('head')) this.#append(fragment);
    else {
      const content = [...fragment.childNodes].filter((node) => !isMetadata(node));
      if (this.#lastInBody?.isConnected) this.#lastInBody.after(...content);
      else document.body?.prepend(...content);
      this.#lastInBody = content.at(-1) ?? this.#lastInBody;
      this.#append(fragment);
    }
    this.#runNext();
  }

  #append(fragment: DocumentFragment): void {
    const last = fragment.lastChild;
    if (!last) return;
    if (this.#last.isConnected) this.#last.after(fragment);
    else document.head.append(fragment);
    this.#last = last;
  }

  #runNext(): void {
    if (this.#isRunning) return;
    const [script, place] = this.#scripts.shift() ?? [];
    if (!script || !place) {
      this.#done?.();
      return;
    }
    this.#isRunning = true;
    const insert = (): boolean => {
      if (this.#last === place) this.#last = script;
      place.replaceWith(script);
      return true;
    };
    let isOver = false;
    this.#run(script, insert, () => {
      if (isOver) return;
      isOver = true;
      this.#isRunning = false;
      this.#runNext();
    });
  }

  /** A fragment whose scripts run when they are inserted. */
  #parse(markup: unknown): DocumentFragment {
    const range = document.createRange();
    range.selectNode(this.#script.parentNode ? this.#script : document.body);
    return range.createContextualFragment(markup as string);
  }
}
