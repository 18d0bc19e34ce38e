/** What the profile of receipts requires a notice to state; the dashboard lists it, too. */

interface Contact {
  readonly address?: string | undefined;
  readonly email?: string | undefined;
}

/** What a notice states about all of its purposes. */
interface NoticeFacts {
  readonly controllerContact?: Contact | undefined;
  readonly links?: { readonly withdrawal?: string | undefined } | undefined;
  readonly rights?: readonly unknown[] | undefined;
  readonly jurisdictions?: readonly unknown[] | undefined;
}

/** What a notice states about one purpose. */
interface PurposeFacts {
  readonly key: string;
  readonly dataCategories?: readonly unknown[] | undefined;
  readonly storage?:
    | {
        readonly period?: string | undefined;
        readonly criteria?: string | undefined;
        readonly locations?: readonly unknown[] | undefined;
      }
    | undefined;
  readonly recipients?: readonly Contact[] | undefined;
}

/** The fields that a receipt of a decision about the purpose lacks. `consentDuration` is left out: only a grant needs it. */
export function listMissingFacts(
  { controllerContact, links, rights, jurisdictions }: NoticeFacts,
  { key, dataCategories, storage, recipients }: PurposeFacts,
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

function listContact(place: string, { address, email }: Contact = {}): Readonly<Record<string, unknown>> {
  return { [`${place}.address`]: address, [`${place}.email`]: email };
}
