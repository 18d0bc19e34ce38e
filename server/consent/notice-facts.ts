import { z } from 'zod';
import { Email } from '../accounts/members/email.ts';
import { describeAs, list, namedObject, refuseRepeated, text, visibleText, WebAddress } from '../http/schemas.ts';
import { countries } from './regions.ts';

/** The facts about the processing that a notice may state besides its texts (GDPR Article 13); receipts repeat them. */

const Territory = text(2).refine(
  (code) => code === 'EU' || countries.has(code),
  'must be a country code of ISO 3166-1 such as DE, or EU',
);

const Territories = list(Territory, 50).superRefine(refuseRepeated('is named twice'));

const Duration = text(20)
  .regex(/^P(?=\d)(?:\d{1,4}Y)?(?:\d{1,4}M)?(?:\d{1,5}D)?$/, 'must be a duration of ISO 8601 such as P6M or P1Y')
  .meta({ description: 'ISO 8601: years, months and days, such as `P6M`.' });

const HttpsAddress = WebAddress.refine((address) => address.startsWith('https://'), 'must begin with https://').meta({
  override: describeAs({ type: 'string', format: 'uri', maxLength: 2048 }),
});

/** The rights of data subjects that a notice can name, with the articles of the GDPR that grant them. */
export const rightArticles = {
  withdraw_consent: 'A7-3',
  access: 'A15',
  rectification: 'A16',
  erasure: 'A17',
  restriction: 'A18',
  portability: 'A20',
  objection: 'A21',
  automated_decision: 'A22',
  complaint: 'A77',
} as const;
export const DataSubjectRight = z.enum(namesOf(rightArticles)).meta({ id: 'DataSubjectRight' });

/** The categories of personal data that a notice can name, with their terms in the Data Privacy Vocabulary. */
export const dataTerms = {
  name: 'Name',
  username: 'Username',
  email_address: 'EmailAddress',
  telephone_number: 'TelephoneNumber',
  physical_address: 'PhysicalAddress',
  age: 'Age',
  gender: 'Gender',
  language: 'Language',
  country: 'Country',
  location: 'Location',
  ip_address: 'IPAddress',
  unique_id: 'UID',
  device: 'DeviceBased',
  user_agent: 'UserAgent',
  browser_fingerprint: 'BrowserFingerprint',
  browsing_behaviour: 'BrowsingBehaviour',
  browsing_referral: 'BrowsingReferral',
  links_clicked: 'LinkClicked',
  service_use: 'ServiceConsumptionBehaviour',
  preferences: 'Preference',
  interests: 'Interest',
  profile: 'Profile',
  purchases: 'Purchase',
  financial: 'Financial',
  employment: 'EmploymentHistory',
  social_media: 'SocialMedia',
  communication: 'Communication',
  picture: 'Picture',
  health: 'Health',
  biometric: 'Biometric',
  genetic: 'Genetic',
  ethnic_origin: 'EthnicOrigin',
  political_opinion: 'PoliticalOpinion',
  religious_belief: 'ReligiousBelief',
  philosophical_belief: 'PhilosophicalBelief',
  trade_union_membership: 'TradeUnionMembership',
  sexuality: 'Sexual',
} as const;
export const DataCategory = z.enum(namesOf(dataTerms)).meta({ id: 'DataCategory' });
export type DataCategory = z.output<typeof DataCategory>;

function namesOf<Name extends string>(terms: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(terms) as Name[];
}

const Contact = {
  address: visibleText(500).optional().meta({ description: 'Postal address.' }),
  email: Email.meta({ override: describeAs({ type: 'string', format: 'email', maxLength: 320 }) }).optional(),
};

const Recipient = namedObject('Recipient', {
  name: visibleText(200),
  role: z.enum(['processor', 'third_party']).meta({ id: 'RecipientRole' }),
  ...Contact,
  country: Territory.optional().meta({ description: 'Where it gets the data: ISO 3166-1 alpha-2, or EU.' }),
});
export type Recipient = z.output<typeof Recipient>;

/** The facts that a notice may state about one purpose. */
export const purposeFacts = {
  dataCategories: list(DataCategory, 40).superRefine(refuseRepeated('is named twice')),
  storage: z
    .strictObject({
      period: Duration.optional(),
      criteria: visibleText(200)
        .optional()
        .meta({ description: 'What ends the storage where no period is fixed, such as `Account closure`.' }),
      locations: Territories.optional().meta({ description: 'ISO 3166-1 alpha-2, or EU.' }),
    })
    .meta({ id: 'PurposeStorage', description: 'How long and where the data are stored.' }),
  recipients: list(Recipient, 50).meta({
    description: 'Who else gets the data; an empty list says that only the controller has them.',
  }),
};

/** The facts that a notice may state about all of its purposes. */
export const noticeFacts = {
  controllerContact: namedObject('ControllerContact', Contact),
  links: namedObject('NoticeLinks', {
    privacyPolicy: HttpsAddress.optional(),
    imprint: HttpsAddress.optional(),
    cookiePolicy: HttpsAddress.optional(),
    terms: HttpsAddress.optional(),
    withdrawal: HttpsAddress.optional().meta({ description: 'Where consent can be changed and withdrawn.' }),
    rights: HttpsAddress.optional().meta({ description: 'Where data subjects exercise their rights.' }),
  }),
  rights: list(DataSubjectRight, 9).superRefine(refuseRepeated('is named twice')),
  jurisdictions: Territories.meta({ description: 'Whose law applies: ISO 3166-1 alpha-2, or EU.' }),
  consentDuration: Duration.meta({ description: 'How long a consent counts: ISO 8601, such as `P1Y`.' }),
};
