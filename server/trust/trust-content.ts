import { z } from 'zod';
import { catalogue, findFramework } from '../controls/catalogue/catalogue.ts';
import { findRepeated, list, Time, text } from '../http/schemas.ts';
import { textLine } from '../http/text-line.ts';
import { WebAddress } from '../http/web-address.ts';
import { Email } from '../identity/email.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { publicText } from './public-text.ts';

const AchievedFramework = z
  .strictObject({
    code: text(64)
      .refine((code) => findFramework(code) !== undefined, 'is no framework of the catalogue')
      .meta({ description: 'The code of a framework of the catalogue.' }),
    achievedAt: Time.meta({ description: 'Not in the future, and not before 2000.' }),
    expiresAt: Time.nullable().default(null).meta({ description: 'From then on the framework is not shown any more.' }),
    reportUrl: WebAddress.nullable().default(null).meta({ description: 'A report or certificate to look at.' }),
  })
  .meta({ id: 'AchievedFrameworkInput' });

const Link = z.strictObject({ label: textLine(100), url: WebAddress }).meta({ id: 'TrustLinkInput' });

const Subprocessor = z
  .strictObject({
    name: textLine(120),
    purpose: textLine(240),
    country: textLine(80),
  })
  .meta({ id: 'SubprocessorInput' });

/** Names every item that is, by its key, the same as an earlier one. */
function refuseRepeated<Item>(field: string | null, readKey: (item: Item) => string) {
  return (items: readonly Item[], context: z.RefinementCtx): void => {
    for (const index of findRepeated(items.map(readKey)))
      context.addIssue({
        code: 'custom',
        path: field === null ? [index] : [index, field],
        message: 'stands there already',
      });
  };
}

const contentFields = {
  headline: textLine(160).nullable().default(null),
  description: publicText(4000).nullable().default(null).meta({ description: 'Text; blank lines part paragraphs.' }),
  contactEmail: Email.nullable().default(null),
  securityContact: WebAddress.nullable().default(null).meta({ description: 'Where to report a vulnerability.' }),
  frameworks: list(AchievedFramework, 50)
    .superRefine(refuseRepeated('code', ({ code }) => code))
    .superRefine((frameworks, context) => {
      for (const [index, { achievedAt, expiresAt }] of frameworks.entries()) {
        if (expiresAt !== null && expiresAt <= achievedAt)
          context.addIssue({ code: 'custom', path: [index, 'expiresAt'], message: 'must be after achievedAt' });
      }
    })
    .default([]),
  links: list(Link, 20)
    .superRefine(refuseRepeated('label', ({ label }) => label.toLowerCase()))
    .default([])
    .meta({ description: 'The privacy policy, the status page and the like, each by a label of its own.' }),
  subprocessors: list(Subprocessor, 100)
    .superRefine(refuseRepeated(null, (one) => canonicalize(one)))
    .default([]),
  showsProof: z.boolean().default(false).meta({
    description:
      'Whether the page shows the latest signed checkpoint of the audit log, which tells how many events it has.',
  }),
};

/** What a tenant says of itself in its trust center. */
export const TrustContent = z.strictObject(contentFields);
export type TrustContent = Readonly<z.output<typeof TrustContent>>;

/** A whole trust center as it is put: what is left out is empty. */
export const TrustCenterInput = z
  .strictObject({ published: z.boolean(), ...contentFields })
  .meta({ id: 'TrustCenterInput' });
export type TrustCenterInput = Readonly<z.output<typeof TrustCenterInput>>;

/** What a tenant has that never set anything. */
export const emptyContent: TrustContent = TrustContent.parse({});

/** The names of the fields that differ. */
export function listChangedFields(before: TrustContent, after: TrustContent): readonly (keyof TrustContent)[] {
  const seal = (value: TrustContent[keyof TrustContent]) => canonicalize(value as Json);
  return (Object.keys(emptyContent) as (keyof TrustContent)[]).filter(
    (field) => seal(before[field]) !== seal(after[field]),
  );
}

/** Content in its one form: frameworks are shown in the order of the catalogue, so that no other order differs from it. */
export function arrangeContent(content: TrustContent): TrustContent {
  const order = (code: string) => catalogue.frameworks.findIndex((framework) => framework.code === code);
  return { ...content, frameworks: content.frameworks.toSorted((one, two) => order(one.code) - order(two.code)) };
}
