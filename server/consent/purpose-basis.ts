import { z } from 'zod';
import type { Based } from '../../packages/consent-banner/src/decision/region.ts';
import { dictionary, list, namedObject, refuseRepeated, text, textLine } from '../http/schemas.ts';
import { mostTrackers } from './notice-bounds.ts';
import { isRegion } from './regions.ts';

/** On what basis a purpose is asked for, by the region of the visitor, and what it stores on their device. */

export const Region = text(6)
  .refine(isRegion, 'must be a code of ISO 3166-1 or ISO 3166-2 such as DE or US-CA')
  .meta({ description: 'ISO 3166-1 alpha-2, or ISO 3166-2.' });

export const Basis = z.enum(['consent', 'object', 'exempt']).meta({
  id: 'PurposeBasis',
  description:
    '`consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither.',
});
export type Basis = z.output<typeof Basis>;

const Tracker = namedObject('Tracker', {
  name: textLine(100).meta({ description: 'Of the cookie, the key in the storage or the request.' }),
  provider: textLine(100),
  lifetime: text(20)
    .regex(
      /^(?:session|persistent|P(?=[\dT])(?:\d{1,4}Y)?(?:\d{1,4}M)?(?:\d{1,5}D)?(?:T(?=\d)(?:\d{1,5}H)?(?:\d{1,5}M)?(?:\d{1,5}S)?)?)$/,
      'must be session, persistent or a duration of ISO 8601 such as P1Y or PT30M',
    )
    .meta({ description: '`session`, `persistent`, or a duration of ISO 8601 such as `P13M`.' }),
  thirdParty: z.boolean().meta({ description: 'Whether another site than that of the notice gets it.' }),
});

/** Fields of a purpose that visitors see besides its texts. */
export const basisFields = {
  basis: Basis.meta({ description: 'Where the region is known and has none of its own. Default: `consent`.' }),
  basisByRegion: dictionary(Region, Basis, 60).meta({
    description: 'Region (ISO 3166-1 or ISO 3166-2, which goes first) to the basis there.',
  }),
  trackers: list(Tracker, mostTrackers)
    .superRefine(refuseRepeated('is named twice', ({ name, provider }) => `${name}\n${provider}`, 'name'))
    .meta({ description: `What it stores or reads on the device; at most ${mostTrackers} in a notice.` }),
};

/** The places at which a required purpose names a basis on which it could be refused. */
export function findRefusable({ required, basis = 'exempt', basisByRegion = {} }: Based): readonly string[][] {
  if (!required) return [];
  const regions = Object.keys(basisByRegion).filter((region) => basisByRegion[region] !== 'exempt');
  return [...(basis === 'exempt' ? [] : [['basis']]), ...regions.map((region) => ['basisByRegion', region])];
}
