import { html, nothing, type TemplateResult } from 'lit';
import type { Overview, OverviewFirstSteps } from '../../../../packages/node-sdk/src/types/api.ts';
import { call } from '../api.ts';
import type { SystemStatus } from '../api-types.ts';
import { focusHeading } from '../element.ts';
import { formatCount, formatPercent, nameValue, viewStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import { tenantSettings } from '../sdk.ts';
import { session } from '../session.ts';

/** Something that waits for the user: where, how much of it, and what is shown for that. */
type Task = readonly [label: string, path: string, count: number | undefined, shown?: TemplateResult];

/** The first steps of a tenant in their order, each with the page that takes it. */
const steps: readonly (readonly [step: keyof OverviewFirstSteps, path: string])[] = [
  ['secondFactor', 'me'],
  ['noticePublished', 'notices'],
  ['bannerSeen', 'notices?status=published'],
  ['secondMember', 'people'],
  ['checkpointMade', 'proofs'],
  ['webhookDelivered', 'webhooks'],
];

/** The start page: what is due for the role of the user. */
export class Home extends PageElement {
  static override properties = { overview: { state: true }, system: { state: true } };

  declare overview: Overview | null;
  /** The state of the server, for its administrator. */
  declare system: SystemStatus | null;

  constructor() {
    super();
    this.overview = null;
    this.system = null;
  }

  protected override async load(): Promise<void> {
    const mayReadSystem = session.allows('getSystem');
    const [overview, system] = await Promise.all([
      tenantSettings.overview(),
      mayReadSystem ? call('getSystem', 'GET', '/v1/system') : null,
    ]);
    const { firstSteps } = overview;
    const isDone = firstSteps !== null && steps.every(([step]) => firstSteps[step] !== false);
    this.overview = isDone ? { ...overview, firstSteps: null } : overview;
    this.system = system;
    // They are done for good, also when something is undone later. If this fails, the next visit tries again.
    if (isDone) void tenantSettings.update({ firstSteps: false }).catch(() => undefined);
  }

  protected override render(): TemplateResult {
    const { user, tenant, memberships = [] } = session.me ?? {};
    const { overview } = this;
    return html`<h1>${tenant?.name}</h1>
      <p>${pageWords.homeGreeting} ${user?.displayName} (${nameValue(user?.role ?? '')})</p>
      ${this.viewOutcome()} ${overview === null ? this.viewWaiting() : this.#viewOverview(overview)}
      ${
        overview === null || memberships.length < 2
          ? nothing
          : html`<section>
              <h2>${pageWords.memberships}</h2>
              <ul class="plain">
                ${memberships.map(
                  ({ tenantName, role }) => html`<li>${tenantName} <span class="quiet">${nameValue(role)}</span></li>`,
                )}
              </ul>
            </section>`
      }`;
  }

  /** All of it at once: nothing moves when something comes above it. */
  #viewOverview(overview: Overview): TemplateResult {
    return html`${overview.firstSteps ? this.#viewSteps(overview.firstSteps) : nothing}
      <section aria-live="polite">
        <h2>${pageWords.due}</h2>
        ${viewTasks(listTasks(overview, this.system))}
      </section>
      ${viewState(overview, this.system)}`;
  }

  #viewSteps(done: OverviewFirstSteps): TemplateResult {
    const { start } = pageWords;
    return html`<section aria-labelledby="first-steps">
      <div class="heading">
        <h2 id="first-steps">${start.steps}</h2>
        <button ?disabled=${this.isBusy} @click=${this.#hideSteps}>${start.hide}</button>
      </div>
      <ul class="plain">
        ${steps.map(([step, path]) =>
          done[step]
            ? html`<li>${start[step]} <span class="status" data-tone="good">${start.done}</span></li>`
            : html`<li><a href="/app/${path}">${start[step]}</a> <span class="quiet">${start.hints[step]}</span></li>`,
        )}
      </ul>
    </section>`;
  }

  readonly #hideSteps = (): void => {
    void this.run(async () => {
      await tenantSettings.update({ firstSteps: false });
      if (this.overview !== null) this.overview = { ...this.overview, firstSteps: null };
      this.notice = pageWords.start.hidden;
      focusHeading(this);
    });
  };
}

function viewTasks(tasks: readonly Task[]): TemplateResult {
  if (tasks.length === 0) return html`<p>${pageWords.nothingDue}</p>`;
  return html`<ul class="plain">
    ${tasks.map(
      ([label, path, count = 0, shown = html`<strong class="overdue">${formatBounded(count)}</strong>`]) =>
        html`<li><a href="/app/${path}">${label}</a> ${shown}</li>`,
    )}
  </ul>`;
}

/** Lists overdue work and failures. */
function listTasks(overview: Overview, system: SystemStatus | null): readonly Task[] {
  const { requests, breaches, controls, webhooks, notices, proofs } = overview;
  const { start } = pageWords;
  const verdict = proofs?.latestVerification?.status ?? 'holds';
  const tasks: readonly Task[] = [
    [start.doubtful, 'proofs', verdict === 'holds' ? 0 : 1, viewStatus(verdict)],
    [start.pastDeadline, 'breaches', breaches?.pastDeadline],
    [pageWords.openBreaches, 'breaches', breaches?.open],
    [pageWords.overdueRequests, 'requests?overdue=true', requests?.overdue],
    [start.overdueEvidence, 'controls?status=overdue', controls?.overdueEvidence],
    [pageWords.control.dueTests, 'readiness', controls?.dueTests],
    [start.failingWebhooks, 'webhooks', webhooks?.failing],
    [pageWords.deadLetters, 'webhooks/deliveries?status=dead', webhooks?.deadLetters],
    [start.unseenNotices, 'notices?status=published', notices?.unseen],
    [`${pageWords.system.title}: ${pageWords.system.dead}`, 'system', system?.deliveries.dead],
  ];
  return tasks.filter(([, , count]) => count);
}

/** How things stand otherwise. */
function viewState(overview: Overview, system: SystemStatus | null): TemplateResult {
  const { requests, controls, notices, proofs } = overview;
  const { start } = pageWords;
  const link = (path: string, text: unknown) => html`<a href="/app/${path}">${text}</a>`;
  const verification = proofs?.latestVerification ?? null;
  return html`<section>
    <h2>${start.state}</h2>
    <dl>
      ${requests && viewTerm(start.openRequests, link('requests?status=open', formatBounded(requests.open)))}
      ${notices && viewTerm(start.publishedNotices, link('notices?status=published', formatBounded(notices.published)))}
      ${
        session.allows('getReadiness')
          ? viewTerm(
              pageWords.readiness,
              link('readiness', controls === null ? start.noFrameworks : formatPercent(controls.readiness)),
            )
          : nothing
      }
      ${
        proofs &&
        viewTerm(
          start.verification,
          html`${link('proofs', verification === null ? pageWords.never : viewTime(verification.finishedAt))}
          ${verification === null ? nothing : viewStatus(verification.status)}`,
        )
      }
      ${
        proofs &&
        viewTerm(
          start.checkpoint,
          link('proofs', proofs.latestCheckpointAt === null ? pageWords.never : viewTime(proofs.latestCheckpointAt)),
        )
      }
      ${system && viewTerm(pageWords.tenants, link('tenants', formatCount(system.tenants)))}
      ${system && viewTerm(pageWords.system.title, link('system', `${pageWords.version} ${system.version}`))}
    </dl>
  </section>`;
}

/** A count of the overview, which stops at a thousand. */
function formatBounded(count: number): string {
  return count === 1000 ? `${formatCount(count)}+` : formatCount(count);
}

customElements.define('svc-home', Home);
