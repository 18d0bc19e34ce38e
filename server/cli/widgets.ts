import { z } from 'zod';
import { Id } from '../http/schemas.ts';
import { nameAddress } from '../settings.ts';
import { TenantSlug } from '../tenants/tenant.ts';
import { type DescribedWidget, describeWidgets, placeholders } from '../widgets/tags.ts';
import { readWidgets } from '../widgets/widget.ts';
import { defineCommand, UsageError, withMessage } from './command.ts';

export const widgets = defineCommand({
  name: 'widgets',
  summary: 'print the tags of the consent banner and the trust badge, ready to paste',
  description: `The tags use the address of SVC_BASE_URL and contain the integrity hash of each script. With --json: every version of
every widget with all its files and add-ons, as the server returns at /widgets/index.json.`,
  options: {
    notice: {
      schema: withMessage(Id, 'must be the id of a notice').default(placeholders.noticeId),
      meaning: 'id of the published notice for the banner',
      value: 'id',
    },
    tenant: {
      schema: withMessage(TenantSlug, 'must be the slug of a tenant').default(placeholders.tenant),
      meaning: 'slug of the tenant for the badge',
      value: 'slug',
    },
    release: {
      schema: z.string().optional(),
      meaning: 'only this version, such as 0.1.0 (default: the newest)',
      value: 'version',
    },
    'add-on': {
      schema: z.string().optional(),
      meaning: 'print the tag of that add-on, too, such as signals',
      value: 'name',
    },
  },
  async run({ settings, options: { notice: noticeId, tenant, release, 'add-on': addOn }, say, result }) {
    const wanted = readWidgets().filter(({ version }) => release === undefined || version === release);
    if (wanted.length === 0) throw new UsageError(`--release: no widget has a version ${release}.`);
    const index = describeWidgets(wanted, nameAddress(settings, settings.port), { noticeId, tenant });
    const addOns = index.widgets.flatMap(({ versions }) => versions[0]?.addOns ?? []);
    if (addOn !== undefined && addOns.every(({ name }) => name !== addOn))
      throw new UsageError(`--add-on: there is no add-on ${addOn} in that version.`);
    for (const line of index.widgets.flatMap((widget) => writeLines(widget, addOn))) say(line);
    result(index);
  },
});

/** A widget with its newest version, and its older ones by name. */
function writeLines({ name, versions }: DescribedWidget, addOn: string | undefined): readonly string[] {
  const [newest, ...older] = versions;
  if (newest === undefined) return [];
  const { version, released, tag, addOns } = newest;
  const names = addOns.map((one) => one.name).join(', ');
  const wanted = addOns.find((one) => one.name === addOn);
  return [
    `${name} ${version}${released ? '' : ' (not released: its bytes may change with the next build)'}`,
    ...(wanted ? [wanted.tag] : []),
    tag,
    ...(names === '' ? [] : [`Add-ons: ${names} (--add-on <name> prints the tag of one)`]),
    older.length === 0 ? '' : `Other versions: ${older.map((one) => one.version).join(', ')}\n`,
  ];
}
