import type { operationScopes } from './api-types.ts';
import { pageWords } from './preferences.ts';
import { audit, breaches, controls, notices, records, requests, users, webhooks } from './sdk.ts';
import { session } from './session.ts';

/** Something that the command palette leads to. */
export interface Found {
  readonly title: string;
  /** The kind of object. */
  readonly kind?: string;
  /** Below `/app/`. */
  readonly path: string;
}

/** A kind of object that has a page. */
interface Kind {
  readonly name: string;
  /** The start of the addresses of its pages. */
  readonly path: string;
  readonly operation: keyof typeof operationScopes;
  /** The title of the object with an id, and the address of its page if that needs more than the id. */
  retrieve(id: string): Promise<string | readonly [title: string, path: string]>;
  /** The first objects whose name has a text. */
  search?(text: string): Promise<readonly { readonly id: string; readonly title: string }[]>;
}

const limit = 5;

/** Built again for each search: the words depend on the language. */
function listKinds(): readonly Kind[] {
  const kinds: readonly Kind[] = [
    {
      name: pageWords.notice,
      path: 'notices',
      operation: 'getConsent',
      retrieve: async (id) => (await notices.retrieve(id)).name,
      search: async (search) =>
        (await notices.list({ search, limit })).items.map(({ id, name }) => ({ id, title: name })),
    },
    {
      name: pageWords.record,
      path: 'notices',
      operation: 'findConsentRecord',
      retrieve: async (id) => {
        const { subjectId, noticeId } = await records.find(id);
        return [subjectId ?? id, `notices/${noticeId}/records/${id}`];
      },
    },
    {
      name: pageWords.member,
      path: 'people',
      operation: 'listUsers',
      retrieve: async (id) => (await users.retrieve(id)).displayName,
      search: async (text) => {
        // Of many members only the first are searched for a part of a name; an address finds every one.
        const [{ items }, exact] = await Promise.all([
          users.list({ limit: 100 }),
          text.includes('@') ? users.list({ email: text }) : null,
        ]);
        const others = exact?.items.filter(({ id }) => !items.some((item) => item.id === id)) ?? [];
        const fitting = [...others, ...items].filter(({ email, displayName }) =>
          `${displayName} ${email}`.toLowerCase().includes(text),
        );
        return fitting
          .slice(0, limit)
          .map(({ id, displayName, email }) => ({ id, title: `${displayName} (${email})` }));
      },
    },
    {
      name: pageWords.control.one,
      path: 'controls',
      operation: 'listControls',
      retrieve: async (id) => (await controls.retrieve(id)).title,
      search: async (text) => {
        const { items } = await controls.list();
        const fitting = items.filter(({ code, title }) => `${code} ${title}`.toLowerCase().includes(text));
        return fitting
          .slice(0, limit)
          .map(({ controlId, code, title }) => ({ id: controlId, title: `${code} ${title}` }));
      },
    },
    {
      name: pageWords.request,
      path: 'requests',
      operation: 'getDsr',
      retrieve: async (id) => (await requests.retrieve(id)).subjectId ?? pageWords.textsErased,
    },
    {
      name: pageWords.breach,
      path: 'breaches',
      operation: 'getBreach',
      retrieve: async (id) => (await breaches.retrieve(id)).title ?? pageWords.textsErased,
    },
    {
      name: pageWords.webhook,
      path: 'webhooks',
      operation: 'getWebhook',
      retrieve: async (id) => (await webhooks.retrieve(id)).url,
    },
    {
      name: pageWords.delivery,
      path: 'webhooks/deliveries',
      operation: 'getWebhookDelivery',
      retrieve: async (id) => (await webhooks.deliveries.retrieve(id)).eventType,
    },
    {
      name: pageWords.event,
      path: 'audit',
      operation: 'getAuditEvent',
      retrieve: async (id) => (await audit.retrieve(id)).action,
    },
  ];
  return kinds.filter(({ operation }) => session.allows(operation));
}

const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Finds objects by a part of their name, or the one with an id. A kind whose search fails is left out. */
export async function findObjects(typed: string): Promise<readonly Found[]> {
  const text = typed.trim().toLowerCase();
  if (text.length < 2) return [];
  const isId = idPattern.test(text);
  const searches = listKinds().map(async ({ name, path, retrieve, search }) => {
    if (isId) {
      const found = await retrieve(text);
      const [title, address] = typeof found === 'string' ? [found, `${path}/${text}`] : found;
      return [{ title, kind: name, path: address }];
    }
    const items = (await search?.(text)) ?? [];
    return items.map(({ id, title }) => ({ title, kind: name, path: `${path}/${id}` }));
  });
  const found = await Promise.allSettled(searches);
  return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}
