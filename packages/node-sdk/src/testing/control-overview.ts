import type {
  Control,
  ControlFramework,
  ControlHealth,
  ControlList,
  EvidenceFreshness,
  Readiness,
  ReadinessGroup,
  TestHealth,
  TestResultStatus,
} from '../types/api.ts';
import { readCatalogue } from './catalogue.ts';
import type { AssessedControl } from './control-state.ts';
import { scheduleRun } from './control-tests.ts';
import type { Controls } from './controls.ts';
import { notFound } from './refusal.ts';
import type { Handlers } from './world.ts';

const isApplicable = ({ control }: AssessedControl): boolean => control.status !== 'not_applicable';

/** The operations that tell how the tenant stands. */
export function overviewHandlers({ state }: Controls): Handlers {
  return {
    listControls: ({ now }) => summarize(state.assessAll(now), state.adopted.length),
    listFrameworks: () => ({
      items: readCatalogue().frameworks.map(({ requirements: _, ...framework }): ControlFramework => framework),
    }),
    getFramework({ params }) {
      const framework = readCatalogue().frameworks.find(({ code }) => code === params.code);
      if (framework === undefined) throw notFound('framework');
      return framework;
    },
    getReadiness: ({ now }) =>
      rateReadiness(
        state.assessAll(now),
        state.adopted.map(({ code }) => code),
      ),
    getTestHealth: ({ now }) => rateHealth(state.assessAll(now).filter(isApplicable), now),
  };
}

function summarize(controls: readonly AssessedControl[], frameworks: number): ControlList {
  const items = controls.map(({ control }) => control);
  const applicable = controls.filter(isApplicable).map(({ control }) => control);
  const count = (from: readonly Control[], fits: (control: Control) => boolean) => from.filter(fits).length;
  const summary = {
    ...{ catalogControls: readCatalogue().controls.length, tenantControls: items.length, frameworks },
    implemented: count(items, ({ status }) => status === 'implemented' || status === 'accepted'),
    needsEvidence: count(applicable, ({ evidenceFreshness }) => evidenceFreshness !== 'current'),
    failing: count(applicable, ({ latestResultStatus }) => latestResultStatus === 'fail'),
  };
  return { summary, items };
}

function rateReadiness(controls: readonly AssessedControl[], adopted: readonly string[]): Readiness {
  const whole = countGroup(controls);
  const mappedTo = (code: string) =>
    controls.filter(({ control }) => control.mappedFrameworks.some((framework) => framework.code === code));
  const domains = Map.groupBy(controls, ({ control }) => control.domain);
  return {
    ...{ score: whole.score, totalControls: whole.total, acceptedControls: whole.accepted },
    ...{ openEvidenceRequests: whole.open, overdueEvidenceRequests: whole.overdue },
    frameworkReadiness: Object.fromEntries(adopted.map((code) => [code, countGroup(mappedTo(code))])),
    domainReadiness: Object.fromEntries([...domains].map(([domain, ofDomain]) => [domain, countGroup(ofDomain)])),
  };
}

function countGroup(controls: readonly AssessedControl[]): ReadinessGroup {
  const count = (...statuses: readonly string[]) =>
    controls.filter(({ control }) => statuses.includes(control.status)).length;
  const [total, accepted] = [controls.filter(isApplicable).length, count('accepted')];
  const open = count('evidence_requested', 'overdue');
  const score = total === 0 ? 0 : Math.floor((100 * accepted) / total);
  return { total, accepted, submitted: count('evidence_submitted'), open, overdue: count('overdue'), score };
}

function rateHealth(controls: readonly AssessedControl[], now: string): TestHealth {
  const items = controls.map((control) => viewHealth(control, now));
  const withResult = (...statuses: readonly (TestResultStatus | null)[]) =>
    items.filter((item) => statuses.includes(item.latestResultStatus)).length;
  const withEvidence = (freshness: EvidenceFreshness) =>
    items.filter((item) => item.evidenceFreshness === freshness).length;
  const currentEvidence = withEvidence('current');
  const summary = {
    ...{ totalControls: items.length, failing: withResult('fail'), warning: withResult('warning') },
    ...{ passing: withResult('pass'), unknown: withResult('unknown', 'manual', null), currentEvidence },
    ...{ staleEvidence: withEvidence('stale'), expiredEvidence: withEvidence('expired') },
    ...{ missingEvidence: withEvidence('missing'), needsEvidence: items.length - currentEvidence },
    missingTests: items.filter(({ testCount }) => testCount === 0).length,
    dueTests: items.reduce((sum, { dueTests }) => sum + dueTests, 0),
  };
  return { summary, items };
}

function viewHealth({ control, tests }: AssessedControl, now: string): ControlHealth {
  const { id, controlId, code, title, domain, status, evidenceFreshness, latestResultStatus } = control;
  const { lastTestedAt, evidenceCount, testCount, resultCount } = control;
  const scheduledRuns = tests.map((test) => scheduleRun(test, control.cadence, now));
  const dueTests = scheduledRuns.filter(({ isDue }) => isDue).length;
  return {
    ...{ id, controlId, code, title, domain, status, evidenceFreshness, latestResultStatus, lastTestedAt },
    ...{ evidenceCount, testCount, resultCount, dueTests, scheduledRuns },
  };
}
