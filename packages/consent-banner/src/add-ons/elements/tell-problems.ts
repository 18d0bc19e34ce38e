import { reportProblem } from '../../report-problem.ts';
import { listBanners } from '../list-banners.ts';
import { findUnfairness } from './find-unfairness.ts';
import { isOpen, isWhole, listLayerProblems, listLesserProblems } from './layer-problems.ts';
import { findRole, listUnknownRoles } from './roles.ts';

export interface ViewMoment {
  /** Whether the visitor is to be asked, and the notice is there. */
  readonly isAsking: boolean;
  /** Whether the preferences are wanted. */
  readonly isOpen: boolean;
}

/** Logs what is wrong with a view's markup and style, once each, with the way to fix it. */
export function tellProblems(view: HTMLElement, { isAsking, isOpen: isWanted }: ViewMoment): void {
  const banners = findRole(view, 'banner');
  const dialogs = findRole(view, 'preferences');
  if (isAsking && banners.length === 0)
    reportProblem('nobody is asked: <svc-consent-view> has no data-svc="banner". Write it on a <section> in there.');
  if (isWanted && banners.length + dialogs.length === 0)
    reportProblem(
      'SvcConsent.open() has nothing to open. Write <dialog data-svc="preferences"> in <svc-consent-view>.',
    );
  if (banners.length > 1 || dialogs.length > 1)
    reportProblem('<svc-consent-view> has two layers of one kind. Only the first is used: take the other away.');
  if (listBanners()[0]?.matches(':defined'))
    reportProblem('<svc-consent> and <svc-consent-view> both ask on this page. Take one of them away.');
  for (const problem of listUnknownRoles(view)) reportProblem(problem);
  for (const layer of [...banners, ...dialogs]) {
    const name = `the layer data-svc="${layer.dataset.svc}"`;
    for (const problem of listLayerProblems(layer)) reportProblem(`${name} is not shown: it ${problem}.`);
    for (const problem of listLesserProblems(layer)) reportProblem(`${name} ${problem}.`);
    if (!isOpen(layer) || !isWhole(layer) || isBehindModal(layer)) continue;
    for (const grant of [...findRole(layer, 'accept'), ...findRole(layer, 'save')]) {
      const unfairness = findUnfairness(layer, grant);
      if (unfairness) tellUnfairness(layer, unfairness);
    }
  }
}

/** Logs why nothing can be granted in a layer. */
export function tellUnfairness({ dataset }: HTMLElement, unfairness: string): void {
  reportProblem(
    `in data-svc="${dataset.svc}" nothing can be granted: the reject button ${unfairness}. Give both buttons one rule of CSS and the same size.`,
  );
}

/** Whether a modal dialog is in front of a layer: nothing in the layer can be pressed then. */
function isBehindModal(layer: HTMLElement): boolean {
  const modals = [...(Document.prototype.querySelectorAll.call(document, ':modal') as NodeListOf<Element>)];
  return modals.length > 0 && !modals.some((modal) => modal.contains(layer));
}
