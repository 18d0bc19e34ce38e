import type { ControllerContact, NoticeContent, Purpose } from '../../packages/node-sdk/src/types/api.ts';

/** The facts that the profile of receipts requires a notice to state; the dashboard lists them, too. */

type NoticeFacts = Pick<NoticeContent, 'controllerContact' | 'links' | 'rights' | 'jurisdictions'>;

/** The fields that a receipt of a decision about the purpose lacks. `consentDuration` is left out: only a grant needs it. */
export function listMissingFacts(
  { controllerContact, links, rights, jurisdictions }: NoticeFacts,
  { key, dataCategories, storage, recipients }: Pick<Purpose, 'key' | 'dataCategories' | 'storage' | 'recipients'>,
): readonly string[] {
  const place = `purposes.${key}`;
  const stated: Readonly<Record<string, unknown>> = {
    ...listContact('controllerContact', controllerContact),
    [`${place}.dataCategories`]: dataCategories?.length,
    [`${place}.storage.locations`]: storage?.locations?.length,
    [`${place}.storage.period`]: storage?.period ?? storage?.criteria,
    // An empty list states that no one else gets the data.
    [`${place}.recipients`]: recipients,
    ...Object.assign({}, ...(recipients ?? []).map((one, index) => listContact(`${place}.recipients.${index}`, one))),
    'links.withdrawal': links?.withdrawal,
    jurisdictions: jurisdictions?.length,
    rights: rights?.length,
  };
  return Object.keys(stated).filter((field) => !stated[field]);
}

function listContact(place: string, { address, email }: ControllerContact = {}): Readonly<Record<string, unknown>> {
  return { [`${place}.address`]: address, [`${place}.email`]: email };
}
