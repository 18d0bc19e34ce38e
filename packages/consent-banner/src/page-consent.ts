import { ConsentSession } from './consent-session.ts';
import type { ConsentState, DecisionListener, SvcConsent } from './consent-state.ts';
import { reportProblem } from './report-problem.ts';

/** What shows the consent of the page to the visitor. */
export interface ConsentView {
  /** This view is the page's first now: it may show. */
  activate(): void;
  showPanel(): void;
}

/** The one consent of a page: its state, who listens, and which element shows it. */
export class PageConsent implements SvcConsent {
  #state: ConsentState | null = null;
  #session: ConsentSession | undefined;
  #sessionKey = '';
  readonly #listeners = new Set<{ readonly tell: DecisionListener }>();
  readonly #views = new Set<ConsentView>();

  get(): ConsentState | null {
    return this.#state;
  }

  onDecision(tell: DecisionListener): () => void {
    const listener = { tell }; // One callback may subscribe twice, and each time unsubscribes itself alone.
    this.#listeners.add(listener);
    if (this.#state) tellListener(tell, this.#state);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  open(): void {
    if (this.#first) this.#first.showPanel();
    else reportProblem('SvcConsent.open() found no <svc-consent notice-id="…"> on this page. Add the element.');
  }

  /** Copies on one page are harmless: only the first shows, the next takes its place when it goes. */
  join(view: ConsentView): void {
    this.#views.add(view);
    if (this.isFirst(view)) view.activate();
  }

  leave(view: ConsentView): void {
    const wasFirst = this.isFirst(view);
    this.#views.delete(view);
    if (wasFirst) this.#first?.activate();
  }

  isFirst(view: ConsentView): boolean {
    return this.#first === view;
  }

  /** The page's session with this notice: an element that is moved or replaced finds it as it was. */
  useSession(noticeId: string, apiBase: string): ConsentSession {
    const key = JSON.stringify([noticeId, apiBase]);
    if (this.#session && key === this.#sessionKey) return this.#session;
    this.#session?.end();
    this.#state = null;
    this.#sessionKey = key;
    this.#session = new ConsentSession({ noticeId, apiBase, onDecision: (purposes) => this.#publish({ purposes }) });
    return this.#session;
  }

  #publish({ purposes }: Pick<ConsentState, 'purposes'>): void {
    const state: ConsentState = Object.freeze({ decided: true, purposes: Object.freeze({ ...purposes }) });
    this.#state = state;
    for (const { tell } of [...this.#listeners]) tellListener(tell, state);
    document.dispatchEvent(new CustomEvent('svc-consent', { detail: state }));
  }

  get #first(): ConsentView | undefined {
    return this.#views.values().next().value;
  }
}

/** A listener that throws is the page's problem: it is told as an uncaught error and stops nobody else. */
function tellListener(tell: DecisionListener, state: ConsentState): void {
  try {
    tell(state);
  } catch (error) {
    reportError(error);
  }
}

export const pageConsent = new PageConsent();
