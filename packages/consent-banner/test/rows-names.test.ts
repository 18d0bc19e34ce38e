import { expect } from '@open-wc/testing';
import { openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Patterns of the names that lists of cookie notices hide and block (EasyList Cookie and similar ones, 2026): the names
 * of known products, and combinations of words for such notices.
 */
const listed = [
  /cookie/i,
  /gdpr|dsgvo|rgpd|lgpd|ccpa/i,
  /(^|[-_ /])(cc|cmp)[-_]/i,
  /consent[-_]?(banner|bar|box|dialog|layer|manager|modal|notice|overlay|popup|prompt|ui\b(?!\.js)|tracking)/i,
  /(privacy|tracking)[-_]?(banner|bar|consent|layer|modal|notice|popup)/i,
  /consent\.min\.js|\/consent\/(manager|message)/i,
  /onetrust|didomi|quantcast|usercentrics|borlabs|klaro|tarteaucitron|iubenda|osano/i,
];

const find = (names: readonly string[]): readonly string[] =>
  names.filter((name) => listed.some((pattern) => pattern.test(name)));

/** Names that a list can match: elements, ids, classes, parts and labels, to be sure also in shadow trees. */
function listNames(root: ParentNode): readonly string[] {
  return [...root.querySelectorAll('*')].flatMap((element) => [
    element.localName,
    element.id,
    ...element.classList,
    ...(element.part ?? []),
    element.ariaLabel ?? '',
    ...(element.shadowRoot ? listNames(element.shadowRoot) : []),
  ]);
}

describe('lists that hide such banners', () => {
  let frame: VisitorFrame | undefined;
  afterEach(() => frame?.remove());

  it('know none of our names: no element, id, class, part, label, or address of a file', async () => {
    expect(find(['cookie-banner', 'cc-window', 'consent_banner', '/cmp-v2/x.js'])).to.have.length(4);
    frame = await openFrame({ noticeId: crypto.randomUUID() });
    await waitUntil(() => frame && query(frame, '.banner:popover-open'), 'the banner shows');
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => frame && query(frame, 'dialog:modal input'), 'the panel opens');
    const names = listNames(frame.contentDocument as Document);
    expect(names).to.include.members(['svc-consent', 'banner', 'choice']);
    expect(find(names)).to.deep.equal([]);

    const { files } = await (await fetch('/packages/consent-banner/dist/integrity.json')).json();
    const paths = files.map(({ file }: { readonly file: string }) => `/widgets/svc-consent/1.0.0/${file}`);
    expect(paths).to.include('/widgets/svc-consent/1.0.0/svc-consent.js');
    const entries = frame.contentWindow.performance.getEntriesByType('resource');
    const asked = entries.map(({ name }) => new URL(name).pathname.replace('/packages/consent-banner/dist', ''));
    expect(find([...paths, ...asked])).to.deep.equal([]);
  });
});
