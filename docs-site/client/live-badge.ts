// The live trust badge: it shows each change of a field immediately.
import { chooseBadgeWords } from '../../server/site/trust/badge-words.ts';
import { serverPlaceholder } from '../site/placeholders.ts';
import { createWidget, readFields, setField, settle } from './live-fields.ts';
import { startPageServer } from './page-server.ts';
import { readServerFacts } from './server-facts.ts';
import { showTag } from './tag-output.ts';

const place = document.querySelector<HTMLElement>('[data-live="svc-trust-badge"]');
if (place !== null) await startBadge(place);

async function startBadge(live: HTMLElement): Promise<void> {
  const form = live.querySelector('fieldset') as HTMLFieldSetElement;
  const stage = live.querySelector('[data-stage]') as HTMLElement;
  const output = live.querySelector('[data-tag]') as HTMLElement;
  const note = live.querySelector('[data-note]') as HTMLElement;
  const facts = await readServerFacts();
  const demo = facts?.demo ?? null;
  const server = startPageServer(({ path }) => {
    const { pathname, searchParams } = new URL(path, location.href);
    return pathname === '/v1/public/trust/your-company/widget' ? readExample(searchParams.get('language')) : null;
  });
  setField(form, 'tenant', demo?.slug ?? 'your-company');
  const apiBase = demo === null ? server.address : location.origin;
  setField(form, 'api-base', apiBase);
  setField(form, 'variant', 'card');
  setField(form, 'theme', 'auto');
  if (demo !== null) note.textContent = 'The badge shows the trust center of the demo tenant on this server.';
  const show = () => {
    const attributes = readFields(form);
    // Whatever address the tag has: the policy of this page allows no requests to other servers.
    stage.replaceChildren(createWidget('svc-trust-badge', new Map([...attributes, ['api-base', apiBase]])));
    // The tag is for a site, whose badge requests its data from a server and not from this page.
    const base = facts?.baseUrl ?? serverPlaceholder;
    const wanted = new Map(attributes);
    if (wanted.get('api-base') === server.address || wanted.get('api-base') === location.origin)
      wanted.set('api-base', base);
    showTag(output, createWidget('svc-trust-badge', wanted), base);
  };
  form.disabled = false;
  form.addEventListener('input', settle(show));
  show();
}

/** An invented trust center, updated three days ago. */
function readExample(language: string | null): object {
  const updatedAt = new Date(Date.now() - 3 * 86_400_000).toISOString();
  return {
    name: 'Your Company',
    slug: 'your-company',
    achievedFrameworks: ['GDPR', 'ISO/IEC 27001', 'SOC 2'],
    updatedAt,
    ...(language !== null && { words: chooseBadgeWords(language) }),
  };
}
