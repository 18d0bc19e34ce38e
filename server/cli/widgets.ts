import { z } from 'zod';
import { TenantSlug } from '../accounts/tenants/tenant.ts';
import { Language } from '../consent/language.ts';
import { findPublished } from '../consent/notice-store.ts';
import { Id } from '../http/schemas.ts';
import { openInstallation } from '../installation/installation.ts';
import type { Settings } from '../settings.ts';
import { type DescribedWidget, describeWidgets, type Owner, placeholders } from '../site/widgets/tags.ts';
import { readWidgets } from '../site/widgets/widget.ts';
import { systemClock } from '../storage/clock.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { defineCommand, flag, UsageError, withMessage } from './command.ts';
import { requireDatabase } from './require.ts';
import { findServerAddress } from './server-address.ts';

export const widgets = defineCommand({
  description: `The tags use the address of SVC_BASE_URL, or else that of the server that runs in the data folder, and contain the integrity hash of each script. With --json: every version of
every widget with all its files and add-ons, as the server returns at /widgets/index.json.

With --inline, the tag of the banner contains the published notice, so that a page shows it without fetching it. Print the
tag again after each publication: until then the page shows the older version, and records name it. Needs the database.`,
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
    inline: { schema: flag, meaning: 'put the published notice into the tag of the banner' },
    language: {
      schema: withMessage(Language, 'must be a BCP 47 language tag such as en or pt-BR').optional(),
      meaning: 'the language of the inline notice (default: that of the notice)',
      value: 'tag',
    },
    release: {
      schema: z.string().optional(),
      meaning: 'only this version, such as 1.0.0 (default: the newest)',
      value: 'version',
    },
    'add-on': {
      schema: z.string().optional(),
      meaning: 'print the tag of that add-on, too, such as signals',
      value: 'name',
    },
  },
  async run({ settings, options, say, result }) {
    const { notice: noticeId, tenant, release, 'add-on': addOn, inline: isInline, language } = options;
    if (isInline && noticeId === placeholders.noticeId) throw new UsageError('--inline needs --notice.');
    if (language !== undefined && !isInline) throw new UsageError('--language needs --inline.');
    const built = readWidgets();
    if (built.length === 0) throw new UsageError('No widget is built yet: run npm run build:widgets.');
    const wanted = built.filter(({ version }) => release === undefined || version === release);
    if (wanted.length === 0) throw new UsageError(`--release: no widget has a version ${release}.`);
    const owner = { noticeId, tenant, ...(isInline && { inline: await readInline(settings, noticeId, language) }) };
    const index = describeWidgets(wanted, findServerAddress(settings), owner);
    const addOns = index.widgets.flatMap(({ versions }) => versions[0]?.addOns ?? []);
    if (addOn !== undefined && addOns.every(({ name }) => name !== addOn))
      throw new UsageError(`--add-on: there is no add-on ${addOn} in that version.`);
    for (const line of index.widgets.flatMap((widget) => writeLines(widget, addOn))) say(line);
    result(index);
  },
});

type Inline = NonNullable<Owner['inline']>;

/** The published notice in a language. @throws {UsageError} if there is none. */
async function readInline(settings: Settings, noticeId: string, language?: string): Promise<Inline> {
  requireDatabase(settings);
  using _ = lockFolder(settings.dataDir, 'shared');
  await using installation = await openInstallation(settings, systemClock, null);
  const published = await findPublished(installation.database.kysely, noticeId);
  if (published === undefined) throw new UsageError(`--notice: there is no notice ${noticeId}.`);
  const { status, languages, texts } = published;
  if (status !== 'published')
    throw new UsageError(`--notice: the notice is ${status}; publish it before you put it into pages.`);
  const tag = language ?? (languages[0] as string);
  const text = texts.get(tag);
  if (text === undefined)
    throw new UsageError(`--language: the published notice is not in ${tag}; it is in ${languages.join(', ')}.`);
  return { text, language };
}

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
