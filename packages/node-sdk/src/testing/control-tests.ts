import type { ControlTest, ControlTestInput, ScheduledRun, TestResult, TestResultInput } from '../types/api.ts';
import { addCadence } from './control-rules.ts';
import { type AssessedControl, findLatest, type StoredTest } from './control-state.ts';
import { type Controls, newTest } from './controls.ts';
import { notFound, Refusal, requirePast } from './refusal.ts';
import type { Sent } from './rules.ts';
import { type Call, type Handlers, newId, slicePage } from './world.ts';

const mostTests = 200;

/** The operations on the tests of controls and their results. */
export function controlTestHandlers(controls: Controls): Handlers {
  const testsOf = ({ stored }: AssessedControl) => controls.state.tests.get(stored.id) ?? [];
  const find = (call: Call, control: AssessedControl): StoredTest => {
    const test = testsOf(control).find(({ id }) => id === call.params.testId);
    if (test === undefined) throw notFound('test');
    return test;
  };
  const replace = (control: AssessedControl, test: StoredTest): void => {
    const tests = testsOf(control).map((one) => (one.id === test.id ? test : one));
    controls.state.tests.set(control.stored.id, tests);
  };
  const record = (call: Call, control: AssessedControl, { id: targetId, cadence }: StoredTest, verb: string): void => {
    const diff = { controlId: control.control.controlId, cadence };
    controls.record(call, `control_test.${verb}`, { targetId, targetRef: control.control.code }, diff);
  };
  return {
    addControlTest(call: Call<Required<ControlTestInput> & { readonly procedure: string | null }>) {
      const control = controls.require(call);
      if (testsOf(control).length >= mostTests)
        throw new Refusal(409, 'conflict', `A control may have at most ${mostTests} tests, retired ones included.`);
      const test = newTest({ ...call.body, cadence: call.body.cadence ?? null }, call.now);
      controls.state.tests.set(control.stored.id, [...testsOf(control), test]);
      record(call, control, test, 'created');
      return view(test, control, call.now);
    },
    listControlTests(call) {
      const control = controls.require(call);
      const isWanted = ({ retiredAt }: StoredTest) => (retiredAt !== null) === (call.query.status === 'retired');
      return {
        items: testsOf(control)
          .filter(isWanted)
          .map((test) => view(test, control, call.now)),
      };
    },
    retireControlTest(call) {
      const control = controls.require(call);
      const test = find(call, control);
      if (test.retiredAt !== null) return view(test, control, call.now);
      const retired = { ...test, retiredAt: call.now };
      replace(control, retired);
      record(call, control, retired, 'retired');
      controls.tellMove(call, control);
      return view(retired, control, call.now);
    },
    recordTestResult(call: Call<Sent<TestResultInput>>): TestResult {
      const { now, body } = call;
      const control = controls.require(call);
      const test = find(call, control);
      if (test.retiredAt !== null) throw new Refusal(409, 'conflict', 'The test is retired and takes no more results.');
      const { status, notes = null, url = null, testedAt = now } = body;
      requirePast('body.testedAt', testedAt, now);
      const result = { id: newId(), testId: test.id, status, notes, url, testedAt, createdAt: now };
      replace(control, { ...test, results: [...test.results, result] });
      const diff = { controlId: control.control.controlId, testId: test.id, status, testedAt };
      const target = { targetId: result.id, targetRef: control.control.code };
      controls.record(call, 'control_test_result.recorded', target, diff);
      if (status === 'fail') controls.emitFailure(call, control, test.id, result.id);
      controls.tellMove(call, control);
      return result;
    },
    listTestResults(call) {
      const control = controls.require(call);
      const test = find(call, control);
      const keyOf = ({ testedAt, id }: TestResult) => `${testedAt} ${id}`;
      const results = test.results.toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));
      return slicePage(results, keyOf, ['results', test.id], call.query);
    },
  };
}

function view(test: StoredTest, { control }: AssessedControl, now: string): ControlTest {
  const { id, title, procedure, cadence, createdAt, retiredAt, results } = test;
  const { nextRunAt, isDue } = scheduleRun(test, control.cadence, now);
  const latest = findLatest(test);
  const latestResult = latest && { id: latest.id, status: latest.status, testedAt: latest.testedAt };
  return {
    ...{ id, controlId: control.controlId, title, procedure, cadence, latestResult, resultCount: results.length },
    ...{ nextRunAt: retiredAt === null ? nextRunAt : null, isDue: isDue && retiredAt === null, createdAt, retiredAt },
  };
}

/** When a test ran and is to run again. @param ofControl the cadence of the control. */
export function scheduleRun(
  test: StoredTest,
  ofControl: AssessedControl['control']['cadence'],
  now: string,
): ScheduledRun {
  const lastRunAt = findLatest(test)?.testedAt ?? null;
  const nextRunAt = lastRunAt === null ? test.createdAt : addCadence(lastRunAt, test.cadence ?? ofControl);
  return { testId: test.id, title: test.title, lastRunAt, nextRunAt, isDue: nextRunAt !== null && nextRunAt <= now };
}
