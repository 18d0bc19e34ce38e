import { z } from 'zod';
import { dictionary, list, refuseRepeated, text, textLine } from '../http/schemas.ts';

/** On what basis a purpose is asked for, by the region of the visitor, and what it stores on their device. */

/** ISO 3166-1 alpha-2. */
export const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH
  CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM
  GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
  LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ
  OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC
  TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(
    /\s+/,
  ),
);

/** Whether a text is a country of ISO 3166-1 or has the form of a subdivision of one (ISO 3166-2). */
export function isRegion(text: string): boolean {
  const [, country = ''] = /^([A-Z]{2})(?:-[A-Z0-9]{1,3})?$/.exec(text) ?? [];
  return countries.has(country);
}

export const Region = text(6)
  .refine(isRegion, 'must be a code of ISO 3166-1 or ISO 3166-2 such as DE or US-CA')
  .meta({ description: 'ISO 3166-1 alpha-2, or ISO 3166-2.' });

export const Basis = z.enum(['consent', 'object', 'exempt']).meta({
  id: 'PurposeBasis',
  description:
    '`consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither.',
});
export type Basis = z.output<typeof Basis>;

const Tracker = z
  .strictObject({
    name: textLine(100).meta({ description: 'Of the cookie, the key in the storage or the request.' }),
    provider: textLine(100),
    lifetime: text(20)
      .regex(
        /^(?:session|persistent|P(?=[\dT])(?:\d{1,4}Y)?(?:\d{1,4}M)?(?:\d{1,5}D)?(?:T(?=\d)(?:\d{1,5}H)?(?:\d{1,5}M)?(?:\d{1,5}S)?)?)$/,
        'must be session, persistent or a duration of ISO 8601 such as P1Y or PT30M',
      )
      .meta({ description: '`session`, `persistent`, or a duration of ISO 8601 such as `P13M`.' }),
    thirdParty: z.boolean().meta({ description: 'Whether another site than that of the notice gets it.' }),
  })
  .meta({ id: 'Tracker' });

/** The most trackers of a notice. */
export const mostTrackers = 60;

/** What a purpose may state for visitors besides its words. */
export const basisFields = {
  basis: Basis.meta({ description: 'Where the region is known and has none of its own. Default: `consent`.' }),
  basisByRegion: dictionary(Region, Basis, 60).meta({
    description: 'Region (ISO 3166-1 or ISO 3166-2, which goes first) to the basis there.',
  }),
  trackers: list(Tracker, mostTrackers)
    .superRefine(refuseRepeated('is named twice', ({ name, provider }) => `${name}\n${provider}`, 'name'))
    .meta({ description: `What it stores or reads on the device; at most ${mostTrackers} in a notice.` }),
};

/** What decides the basis of a purpose. */
interface Based {
  readonly required: boolean;
  readonly basis?: Basis | undefined;
  readonly basisByRegion?: Readonly<Record<string, Basis>> | undefined;
}

/** The places at which a required purpose names a basis on which it could be refused. */
export function findRefusable({ required, basis = 'exempt', basisByRegion = {} }: Based): readonly string[][] {
  if (!required) return [];
  const regions = Object.keys(basisByRegion).filter((region) => basisByRegion[region] !== 'exempt');
  return [...(basis === 'exempt' ? [] : [['basis']]), ...regions.map((region) => ['basisByRegion', region])];
}

/** The basis of each purpose in a region, by its key. */
export function listBases(
  purposes: readonly (Based & { readonly key: string })[],
  region: string | null,
): Readonly<Record<string, Basis>> {
  const bases: Record<string, Basis> = {};
  for (const purpose of purposes) bases[purpose.key] = basisIn(purpose, region);
  return bases;
}

/** The basis that applies in a region. Where the region is unknown (null), consent is needed. */
export function basisIn({ required, basis = 'consent', basisByRegion = {} }: Based, region: string | null): Basis {
  if (required) return 'exempt';
  if (region === null) return 'consent';
  return basisByRegion[region] ?? basisByRegion[region.slice(0, 2)] ?? basis;
}
