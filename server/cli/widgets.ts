import { Id } from '../http/schemas.ts';
import { nameAddress } from '../serve.ts';
import { TenantSlug } from '../tenants/tenant.ts';
import { describeWidgets } from '../widgets/describe-widgets.ts';
import { type Owner, placeholders } from '../widgets/tags.ts';
import { readWidgets } from '../widgets/widget.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';

export const widgets: Command = {
  name: 'widgets',
  summary: 'print the tags of the consent banner and the trust badge, ready to paste',
  description: `The tags are for the address that SVC_BASE_URL names, with the integrity hash of each script. With --json: every
version of every widget with all its files, as the server answers at /widgets/index.json.`,
  options: {
    notice: { type: 'string', meaning: 'id of the published notice that the banner asks for', value: 'id' },
    tenant: { type: 'string', meaning: 'slug of the tenant that the badge shows', value: 'slug' },
    release: {
      type: 'string',
      meaning: 'of this version alone, such as 0.1.0 (default: the newest)',
      value: 'version',
    },
  },
  async run({ settings, options, say, result }) {
    const owner = readOwner(options);
    const all = readWidgets();
    const wanted = options.release === undefined ? all : all.filter(({ version }) => version === options.release);
    if (wanted.length === 0) throw new UsageError(`--release: no widget has a version ${options.release}.`);
    const index = describeWidgets(wanted, nameAddress(settings, settings.port), owner);
    for (const { name, versions } of index.widgets) {
      const [newest, ...older] = versions;
      if (newest === undefined) continue;
      say(
        `${name} ${newest.version}${newest.released ? '' : ' (not released: its bytes may change with the next build)'}`,
      );
      say(newest.tag);
      say(older.length === 0 ? '' : `Also there: ${older.map(({ version }) => version).join(', ')}\n`);
    }
    result(index);
    return 0;
  },
};

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
