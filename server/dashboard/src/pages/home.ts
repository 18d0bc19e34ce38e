import { html, nothing, type TemplateResult } from 'lit';
import { viewError } from '../element.ts';
import { formatCount, nameValue } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { allTime, breaches, requests, webhooks } from '../sdk.ts';
import { session } from '../session.ts';

/** Something that waits for the user: how much of it, and where. */
interface Task {
  readonly label: string;
  readonly href: string;
  readonly count: number;
  /** Whether there is more than was counted. */
  readonly isMore?: boolean;
}

/** The start page: what is due for the role of the user. */
export class Home extends PageElement {
  static override properties = { tasks: { state: true } };

  declare tasks: readonly Task[] | null;

  constructor() {
    super();
    this.tasks = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.run(async () => {
      this.tasks = (await Promise.all(listTasks())).filter(({ count }) => count > 0);
    });
  }

  protected override render(): TemplateResult {
    const { user, tenant, memberships = [] } = session.me ?? {};
    return html`<h1>${tenant?.name}</h1>
      <p>${words.homeGreeting} ${user?.displayName} (${nameValue(user?.role ?? '')})</p>
      ${viewError(this.error)}
      <section aria-live="polite">
        <h2>${pageWords.due}</h2>
        ${this.tasks === null ? (this.error === null ? html`<p>${words.loading}</p>` : nothing) : viewTasks(this.tasks)}
      </section>
      ${
        memberships.length < 2
          ? nothing
          : html`<section>
              <h2>${words.memberships}</h2>
              <ul class="plain">
                ${memberships.map(
                  ({ tenantName, role }) => html`<li>${tenantName} <span class="quiet">${nameValue(role)}</span></li>`,
                )}
              </ul>
            </section>`
      }`;
  }
}

function viewTasks(tasks: readonly Task[]): TemplateResult {
  if (tasks.length === 0) return html`<p>${pageWords.nothingDue}</p>`;
  return html`<ul class="plain">
    ${tasks.map(
      ({ label, href, count, isMore }) =>
        html`<li><a href=${href}>${label}</a> <strong>${formatCount(count)}${isMore ? '+' : ''}</strong></li>`,
    )}
  </ul>`;
}

/** Asks only for what the role may read: at most three requests. */
function listTasks(): readonly Promise<Task>[] {
  const tasks: Promise<Task>[] = [];
  if (session.allows('listDsrs'))
    tasks.push(
      requests.list({ status: 'open', overdue: true, limit: 100 }).then(({ items, hasNextPage }) => ({
        label: pageWords.overdueRequests,
        href: '/app/requests?overdue=true',
        count: items.length,
        isMore: hasNextPage,
      })),
    );
  if (session.allows('listBreaches'))
    tasks.push(
      breaches.list({ status: 'open', limit: 100 }).then(({ items, hasNextPage }) => ({
        label: pageWords.openBreaches,
        href: '/app/breaches?status=open',
        count: items.length,
        isMore: hasNextPage,
      })),
    );
  if (session.allows('countWebhookRedelivery'))
    tasks.push(
      webhooks.redeliveries.count({ from: allTime }).then(({ count }) => ({
        label: pageWords.deadLetters,
        href: '/app/webhooks/deliveries?status=dead',
        count,
      })),
    );
  return tasks;
}

customElements.define('svc-home', Home);
