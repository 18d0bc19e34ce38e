import { Id } from '../http/schemas.ts';
import { nameAddress } from '../process/serve.ts';
import { TenantSlug } from '../tenants/tenant.ts';
import {
  type DescribedWidget,
  describeWidgets,
  type Owner,
  placeholders,
  type WidgetIndex,
  writeAddOnElement,
} from '../widgets/tags.ts';
import { readWidgets } from '../widgets/widget.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';

export const widgets: Command = {
  name: 'widgets',
  summary: 'print the tags of the consent banner and the trust badge, ready to paste',
  description: `The tags use the address of SVC_BASE_URL and contain the integrity hash of each script. With --json: every version of
every widget with all its files and add-ons, as the server returns at /widgets/index.json.`,
  options: {
    notice: { type: 'string', meaning: 'id of the published notice for the banner', value: 'id' },
    tenant: { type: 'string', meaning: 'slug of the tenant for the badge', value: 'slug' },
    release: {
      type: 'string',
      meaning: 'only this version, such as 0.1.0 (default: the newest)',
      value: 'version',
    },
    'add-on': { type: 'string', meaning: 'print the tag of that add-on, too, such as signals', value: 'name' },
  },
  async run({ settings, options, say, result }) {
    const owner = readOwner(options);
    const all = readWidgets();
    const wanted = options.release === undefined ? all : all.filter(({ version }) => version === options.release);
    if (wanted.length === 0) throw new UsageError(`--release: no widget has a version ${options.release}.`);
    const index = describeWidgets(wanted, nameAddress(settings, settings.port), owner);
    const addOn = readAddOn(options, index);
    for (const line of index.widgets.flatMap((widget) => writeLines(widget, { addOn, owner }))) say(line);
    result(index);
    return 0;
  },
};

interface Wanted {
  readonly addOn: string | undefined;
  readonly owner: Owner;
}

/** A widget with its newest version, and its older ones by name. */
function writeLines({ name, versions }: DescribedWidget, { addOn, owner }: Wanted): readonly string[] {
  const [newest, ...older] = versions;
  if (newest === undefined) return [];
  const { version, released, tag, addOns } = newest;
  const names = addOns.map((one) => one.name).join(', ');
  const wanted = addOns.find((one) => one.name === addOn);
  // An add-on with its own element replaces the widget.
  const element = wanted ? writeAddOnElement(wanted.name, owner) : null;
  return [
    `${name} ${version}${released ? '' : ' (not released: its bytes may change with the next build)'}`,
    ...(wanted ? [wanted.tag] : []),
    element ?? tag,
    ...(names === '' ? [] : [`Add-ons: ${names} (--add-on <name> prints the tag of one)`]),
    older.length === 0 ? '' : `Other versions: ${older.map((one) => one.version).join(', ')}\n`,
  ];
}

function readAddOn({ 'add-on': name }: OptionValues, { widgets: described }: WidgetIndex): string | undefined {
  if (name === undefined) return undefined;
  const names: readonly string[] = described
    .flatMap(({ versions }) => versions[0]?.addOns ?? [])
    .map((one) => one.name);
  if (!names.includes(String(name))) throw new UsageError(`--add-on: there is no add-on ${name} in that version.`);
  return String(name);
}

function readOwner({ notice, tenant }: OptionValues): Owner {
  if (notice !== undefined && !Id.safeParse(notice).success)
    throw new UsageError('--notice must be the id of a notice');
  if (tenant !== undefined && !TenantSlug.safeParse(tenant).success)
    throw new UsageError('--tenant must be the slug of a tenant');
  return {
    noticeId: notice === undefined ? placeholders.noticeId : String(notice),
    tenant: tenant === undefined ? placeholders.tenant : String(tenant),
  };
}
