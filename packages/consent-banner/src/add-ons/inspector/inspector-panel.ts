import { adoptStyles } from '../../first-layer/elements.ts';
import { query, toJson } from '../../page/browser.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';
import { inspectorStyles } from './inspector.styles.ts';
import {
  type Finding,
  nameKind,
  nameMoment,
  nameOwner,
  type PageFindings,
  statusNames,
  writeMarkdown,
} from './report.ts';

/** No element is defined under this name: it is plain, and may have a shadow root. */
const TAG = 'svc-consent-inspector';
const COLUMNS = ['Name', 'Belongs to', 'Status', 'Held by', 'Written by', 'Change'];

/** The findings of this page, live, in a panel that leaves the page usable. */
export class InspectorPanel {
  readonly #host = document.createElement(TAG);
  readonly #inspection: Inspection;
  readonly #rows = new Map<string, { readonly text: string; readonly row: HTMLTableRowElement }>();
  readonly #body = createNode('tbody');
  readonly #summary = createNode('p');
  readonly #warnings = createNode('ul', { className: 'warnings' });
  readonly #status = createNode('p', { className: 'note' });
  readonly #filter = createNode('input', { type: 'checkbox' });
  readonly #text = createNode('textarea', { readOnly: true, hidden: true, ariaLabel: 'Copy this text' });
  readonly #ended = new AbortController();
  #findings: PageFindings | undefined;

  private constructor(options: InspectionOptions) {
    this.#inspection = new Inspection(options);
  }

  /** Opens the panel, unless there is one on the page. */
  static open(options: InspectionOptions): InspectorPanel | undefined {
    if (query(TAG)) return;
    const panel = new InspectorPanel(options);
    panel.#show();
    return panel;
  }

  close(): void {
    this.#ended.abort();
    this.#inspection.end();
    this.#host.remove();
  }

  #show(): void {
    const root = this.#host.attachShadow({ mode: 'open' });
    adoptStyles(root, inspectorStyles);
    const panel = this.#createPanel();
    root.append(panel);
    // Beside the body, which a router may swap.
    document.documentElement.append(this.#host);
    panel.showPopover?.();
    const { signal } = this.#ended;
    addEventListener('keydown', (event) => this.#followKey(event), { signal });
    this.#filter.addEventListener('change', () => this.#render());
    this.#inspection.watch(() => void this.#look());
    void this.#look();
  }

  #createPanel(): HTMLElement {
    const title = createNode('h2', { id: 'title' }, 'What this page does');
    const close = createButton('Close', () => this.close());
    const markdown = createButton('Copy as Markdown', () => this.#copy(writeMarkdown(this.#findings as PageFindings)));
    const json = createButton('Copy as JSON', () => this.#copy(toJson(this.#findings, 2)));
    this.#summary.role = this.#status.role = 'status';
    const head = createNode('tr', {}, ...COLUMNS.map((name) => createNode('th', { scope: 'col' }, name)));
    const table = createNode('table', {}, createNode('thead', {}, head), this.#body);
    const scroll = createNode('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: 'Findings' }, table);
    const panel = createNode(
      'section',
      { className: 'panel', popover: 'manual', lang: 'en', dir: 'ltr' },
      createNode('header', {}, title, close),
      this.#summary,
      this.#warnings,
      createNode(
        'div',
        { className: 'tools' },
        createNode('label', {}, this.#filter, 'Only before consent'),
        markdown,
        json,
      ),
      scroll,
      this.#text,
      this.#status,
      createNode(
        'p',
        { className: 'note' },
        'Names only, but a proposed tag repeats yours, query included; nothing is sent. A page sees neither HttpOnly cookies nor what frames of other sites store.',
      ),
    );
    panel.setAttribute('aria-labelledby', 'title');
    return panel;
  }

  async #look(): Promise<void> {
    const findings = await this.#inspection.look();
    if (this.#ended.signal.aborted) return;
    this.#findings = findings;
    this.#render();
  }

  /** A row stays the same element as long as it says the same: the focus in it stays, too. */
  #render(): void {
    const { findings = [], warnings = [], decidedAt = null } = this.#findings ?? {};
    const shown = findings.filter((finding) => !this.#filter.checked || isEarly(finding));
    const rows = shown.map((finding) => {
      const key = nameFinding(finding);
      const text = toJson(finding);
      const before = this.#rows.get(key);
      const row = before?.text === text ? before.row : createRow(finding, (change) => this.#copy(change));
      this.#rows.set(key, { text, row });
      return row;
    });
    for (const [at, row] of rows.entries()) {
      const there = this.#body.rows[at];
      if (there !== row) this.#body.insertBefore(row, there ?? null);
    }
    for (const row of [...this.#body.rows].slice(rows.length)) row.remove();
    const listed = [...this.#warnings.children].map(({ textContent }) => textContent);
    if (listed.join() !== warnings.join())
      this.#warnings.replaceChildren(...warnings.map((warning) => createNode('li', {}, warning)));
    const early = findings.filter(isEarly).length;
    const summary = `${findings.length} findings, ${early} before consent. ${nameDecision(decidedAt)}`;
    // Said again only when it is something new.
    if (this.#summary.textContent !== summary) this.#summary.textContent = summary;
  }

  #followKey({ key, defaultPrevented }: KeyboardEvent): void {
    // Another dialog of the page, if it is modal, is closed first.
    if (key === 'Escape' && !defaultPrevented && !query('dialog:modal')) this.close();
  }

  /** Without a clipboard (on plain http, or where it is forbidden) the text is there to be taken by hand. */
  #copy(text: string): void {
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject();
    writing.then(
      () => {
        this.#text.hidden = true;
        this.#status.textContent = 'Copied.';
      },
      () => {
        this.#text.hidden = false;
        this.#text.value = text;
        this.#text.select();
        this.#status.textContent = 'The clipboard is out of reach. Copy the text from the box.';
      },
    );
  }
}

function isEarly({ status }: Finding): boolean {
  return status === 'early';
}

function nameDecision(decidedAt: number | null): string {
  if (decidedAt === null) return 'There is no decision yet.';
  if (decidedAt < 0)
    return 'Decided before this page: delete the data of this site and load it again to see what comes before consent.';
  return `Decided after ${(decidedAt / 1000).toFixed(1)} s.`;
}

/** Returns the key that identifies a finding again at the next inspection. */
function nameFinding({ kind, initiator, name, status }: Finding): string {
  return `${kind} ${initiator} ${status === 'held'} ${name}`;
}

/** One finding as a row of the table. */
function createRow(finding: Finding, copy: (text: string) => void): HTMLTableRowElement {
  const { name, status, purposes, proposal, writtenBy } = finding;
  const isAlert = /^(early|refused)$/.test(status);
  return createNode(
    'tr',
    {},
    createNode('th', { scope: 'row' }, createCode(name), createNode('small', {}, nameKind(finding))),
    createNode('td', {}, nameOwner(finding)),
    createNode(
      'td',
      {},
      createNode('span', { className: isAlert ? 'alert' : '' }, statusNames[status]),
      createNode('small', {}, nameMoment(finding)),
    ),
    createNode('td', {}, purposes.length ? createCode(purposes.join(' ')) : '-'),
    createNode('td', {}, writtenBy ? createCode(writtenBy) : '-'),
    createNode('td', { className: 'change' }, ...createChange(name, proposal, copy)),
  );
}

function createChange(name: string, proposal: string | null, copy: (text: string) => void): readonly (Node | string)[] {
  if (!proposal) return ['-'];
  return [createCode(proposal), createButton('Copy', () => copy(proposal), `Copy the change for ${name}`)];
}

/** A name may hold marks that turn the writing around: they end with it. */
function createCode(text: string): HTMLElement {
  return createNode('bdi', { dir: 'ltr' }, createNode('code', {}, text));
}

type Child = Node | string;

/** Creates an element from properties and children only: a name that a page chose is inserted as text, whatever it contains. */
function createNode<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  Object.assign(node, properties);
  node.append(...children);
  return node;
}

/** @param name accessible name, if its text is not enough. */
function createButton(text: string, onClick: () => void, name?: string): HTMLButtonElement {
  return createNode('button', { type: 'button', onclick: onClick, ...(name && { ariaLabel: name }) }, text);
}
