import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData, WebhookEvent } from '@svc/webhook-verify';
import { findEventDataIssues } from '@svc/webhook-verify/schemas';
import { eventData } from '../../site/documentation/api-document.ts';
import { type EventType, eventTypes } from '../../webhooks/deliveries/event.ts';
import { readWebhooks } from '../accounts/members/membership-helpers.ts';
import { createFreshTenant, describeServer } from '../consent/helpers.ts';
import { makeAllHappen } from './all-events.ts';
import { allowPrivate } from './sending.ts';

/** The compiler compares the types of the package for receivers with those that the server has. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
const isSame: Same<keyof EventData, EventType> = true;

describeServer(
  'the data of events',
  (server) => {
    test('fits, for every type, the schema of the server and of the package for receivers', async () => {
      assert.ok(isSame);
      const tenant = await createFreshTenant(server);
      await makeAllHappen(server, tenant);
      const events = await readWebhooks(server, tenant.id);
      for (const { type, data } of events) {
        const parsed = eventData[type as EventType].safeParse(data);
        assert.deepEqual(parsed.error?.issues, undefined, `${type} ${JSON.stringify(data)}`);
        // The check that receivers can make at run time.
        assert.deepEqual(findEventDataIssues({ type, data } as unknown as WebhookEvent), [], type);
      }
      assert.deepEqual([...new Set(events.map(({ type }) => type))].sort(), [...eventTypes].sort());
      const [published, unpublished] = events.filter(({ type }) => type === 'consent_notice.archived');
      assert.deepEqual([published.data.version, unpublished.data.version], [1, null]);
      const provisioned = events.filter(({ type }) => type === 'user.provisioned');
      assert.deepEqual(
        provisioned.map(({ data }) => data.restored),
        [undefined, true],
      );
    });
  },
  allowPrivate,
);
