import { ConsentNotices, ConsentSubjects } from '../../../packages/node-sdk/src/resources/consent.ts';
import { Controls } from '../../../packages/node-sdk/src/resources/controls.ts';
import { Ledgers } from '../../../packages/node-sdk/src/resources/ledgers.ts';
import {
  ApiKeys,
  Audit,
  Breaches,
  ConsentRecords,
  DataSubjectRequests,
  Members,
  ScimTokens,
  TenantSettings,
  Trust,
} from '../../../packages/node-sdk/src/resources/methods.ts';
import { Users } from '../../../packages/node-sdk/src/resources/users.ts';
import { Webhooks } from '../../../packages/node-sdk/src/resources/webhooks.ts';
import type { DescribedWidget } from '../../site/widgets/tags.ts';
import { transport } from './api.ts';

/** The start of a filter that a request needs and the user did not set. */
export const allTime = '2000-01-01T00:00:00Z';

/** The resources of the SDK, over the session of the user. */
export const notices = new ConsentNotices(transport);
export const webhooks = new Webhooks(transport);
export const users = new Users(transport);
export const members = new Members(transport);
export const apiKeys = new ApiKeys(transport);
export const scimTokens = new ScimTokens(transport);
export const audit = new Audit(transport);
export const ledgers = new Ledgers(transport);
export const records = new ConsentRecords(transport);
export const subjects = new ConsentSubjects(transport);
export const requests = new DataSubjectRequests(transport);
export const breaches = new Breaches(transport);
export const controls = new Controls(transport);
export const trust = new Trust(transport);
export const tenantSettings = new TenantSettings(transport);

export type WidgetVersion = DescribedWidget['versions'][number];

/** Reads the version of a widget to pin: the newest that is released, whose bytes never change; else the current build. */
export async function readWidget(name: DescribedWidget['name']): Promise<WidgetVersion | undefined> {
  const list = { id: 'listWidgets', method: 'GET', path: '/widgets/index.json', answer: 'bare' } as const;
  const { widgets } = await transport.request<{ readonly widgets: readonly DescribedWidget[] }>(list);
  const versions = widgets.find((widget) => widget.name === name)?.versions;
  return versions?.find(({ released }) => released) ?? versions?.[0];
}
