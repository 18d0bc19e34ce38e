import { z } from 'zod';
import { defineRoute, type Route } from '../http/route.ts';
import { listOf, text } from '../http/schemas.ts';
import { ControlList, summarizeControls } from './control-list.ts';
import { FrameworkDetail, FrameworkView, listFrameworks, requireFramework } from './framework.ts';
import { readControls } from './read-controls.ts';
import { Readiness, rateReadiness } from './readiness.ts';
import type { ControlServices } from './services.ts';
import { rateTestHealth, TestHealth } from './test-health.ts';

/** The four operations of spec.md "Control framework", and one framework with what controls may be mapped to. */
export function controlOverviewRoutes({ database }: Pick<ControlServices, 'database'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework',
      operationId: 'listControls',
      tag: 'Controls',
      summary: 'List the controls of the tenant, by their codes',
      description:
        'The controls of the adopted frameworks, and the tenant’s own. Everything that depends on time follows from dates at the moment of the request.',
      scope: 'controls:read',
      status: 200,
      result: ControlList,
      async handle({ principal: { tenantId }, now }) {
        const { controls, adopted } = await readControls(database.kysely, tenantId, now);
        return summarizeControls(controls, adopted.length);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework/frameworks',
      operationId: 'listFrameworks',
      tag: 'Controls',
      summary: 'List the frameworks of the catalogue, with what may be claimed',
      scope: 'controls:read',
      status: 200,
      result: listOf(FrameworkView),
      handle: async () => ({ items: listFrameworks() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework/frameworks/{code}',
      operationId: 'getFramework',
      tag: 'Controls',
      summary: 'Get a framework, with the requirements that controls may be mapped to',
      scope: 'controls:read',
      params: z.strictObject({ code: text(20).meta({ description: 'The `code` of the framework.' }) }),
      status: 200,
      result: FrameworkDetail,
      handle: async ({ params }) => requireFramework(params.code),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework/readiness',
      operationId: 'getReadiness',
      tag: 'Controls',
      summary: 'Get the readiness of the tenant, overall and for each framework and domain',
      description:
        'Of the controls that apply (status other than `not_applicable`): score = floor(100 × accepted ÷ total), 0 without any control. A control counts as accepted while its status is `accepted`: somebody accepted it, its next review is not due, its evidence is current, and the latest result of none of its tests is `fail`. Whatever of these ends takes it out of the score at that moment.',
      scope: 'controls:read',
      status: 200,
      result: Readiness,
      async handle({ principal: { tenantId }, now }) {
        const { controls, adopted } = await readControls(database.kysely, tenantId, now);
        return rateReadiness(controls, adopted);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework/test-health',
      operationId: 'getTestHealth',
      tag: 'Controls',
      summary: 'Get the health of tests and evidence',
      description:
        'Of the controls that apply. totalControls = failing + warning + passing + unknown = currentEvidence + staleEvidence + expiredEvidence + missingEvidence.',
      scope: 'controls:read',
      status: 200,
      result: TestHealth,
      async handle({ principal: { tenantId }, now }) {
        return rateTestHealth((await readControls(database.kysely, tenantId, now)).controls, now);
      },
    }),
  ];
}
