import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { listRoute } from '../http/list-route.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id, listOf } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { ControlParams } from './control.ts';
import { requireControl } from './control-store.ts';
import { ControlTest, NewResult, NewTest, type TestFacts, TestResult, viewResult, viewTest } from './control-test.ts';
import { addTest, recordResult, retireTest } from './test-changes.ts';
import { listResults, listTests, type ResultPlace, readFactsOfTests, requireTest } from './test-store.ts';

const TestParams = ControlParams.extend({ testId: Id });

/** The operations on the tests of a control and their results. */
export function controlTestRoutes({ database, hasher }: Pick<Installation, 'database' | 'hasher'>): readonly Route[] {
  return [
    defineRoute('POST /v1/control-framework/controls/{controlId}/tests', {
      operationId: 'addControlTest',
      tag: 'Controls',
      summary: 'Add a test to a control',
      description: 'It is due at once. At most 200 per control, retired ones included.',
      scope: 'controls:write',
      params: ControlParams,
      body: NewTest,
      status: 201,
      result: ControlTest,
      change: (call, work) => addTest(work, callSource(call, hasher), call.params.controlId, call.body),
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}/tests', {
      operationId: 'listControlTests',
      tag: 'Controls',
      summary: 'List the tests of a control, the oldest first',
      scope: 'controls:read',
      params: ControlParams,
      query: z.strictObject({
        status: z
          .enum(['in_use', 'retired'])
          .default('in_use')
          .meta({ description: 'Tests in use count; retired ones do not.' }),
      }),
      result: listOf(ControlTest),
      async handle({ params, query: { status }, principal: { tenantId }, now }) {
        const { control } = await requireControl(database.kysely, tenantId, params.controlId, now);
        const tests = (await listTests(database.kysely, tenantId, control.id)).filter(
          ({ retired_at }) => (retired_at !== null) === (status === 'retired'),
        );
        const ids = tests.map(({ id }) => id);
        const facts = await readFactsOfTests(database.kysely, tenantId, ids);
        return {
          items: tests.map((row) => viewTest(row, facts.get(row.id) as TestFacts, control, now)),
          nextCursor: null,
        };
      },
    }),
    defineRoute('DELETE /v1/control-framework/controls/{controlId}/tests/{testId}', {
      operationId: 'retireControlTest',
      tag: 'Controls',
      summary: 'Retire a test: it is kept with its results, and no longer counts',
      description: 'If it was retired before, nothing changes.',
      scope: 'controls:write',
      params: TestParams,
      result: ControlTest,
      change: (call, work) => retireTest(work, callSource(call, hasher), call.params.controlId, call.params.testId),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/tests/{testId}/results', {
      operationId: 'recordTestResult',
      tag: 'Controls',
      summary: 'Record a test result',
      description:
        'The latest result of a test counts: the one with the latest time; of several with the same time, the one recorded last. While it is `fail`, a control that was accepted is in `needs_review`; every other status stays.',
      scope: 'controls:write',
      params: TestParams,
      body: NewResult,
      status: 201,
      result: TestResult,
      change: (call, work) =>
        recordResult(work, callSource(call, hasher), call.params.controlId, call.params.testId, call.body),
    }),
    listRoute('/v1/control-framework/controls/{controlId}/tests/{testId}/results', {
      operationId: 'listTestResults',
      tag: 'Controls',
      summary: 'List the results of a test, the latest first',
      scope: 'controls:read',
      params: TestParams,
      limit: { most: 200, usual: 50 },
      result: cursorPageOf(TestResult),
      place: 'string',
      async find({ params, principal: { tenantId }, now }, { after, limit }) {
        const { control } = await requireControl(database.kysely, tenantId, params.controlId, now);
        const test = await requireTest(database.kysely, tenantId, control.id, params.testId);
        const place = after === null ? null : readPlace(after);
        const { rows, next } = await listResults(database.kysely, tenantId, test.id, place, limit);
        return { rows: rows.map(viewResult), next: next && writePlace(next) };
      },
    }),
  ];
}

function writePlace({ testedAt, id }: ResultPlace): string {
  return `${testedAt} ${id}`;
}

function readPlace(text: string): ResultPlace {
  const [testedAt = '', id = ''] = text.split(' ');
  return { testedAt, id };
}
