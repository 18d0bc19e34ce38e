import type { Messages } from '../../consent/messages/messages.ts';
import type { LocalizedMessages } from './notice-rules.ts';
import { notices } from './sdk.ts';

const loaded = new Map<string, Promise<LocalizedMessages>>();

/** The default messages of the banner in a language; requested once. After a failure, the next call tries again. */
export function loadMessages(tag: string): Promise<LocalizedMessages> {
  const known = loaded.get(tag);
  if (known !== undefined) return known;
  const requested = notices
    .retrieveWords({ language: tag })
    .then(({ language, texts }) => ({ language, messages: texts as unknown as Messages }));
  loaded.set(tag, requested);
  requested.catch(() => loaded.delete(tag));
  return requested;
}
