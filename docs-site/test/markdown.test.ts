import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventTypes } from '../../server/webhooks/deliveries/event.ts';
import { readFrontMatter } from '../site/front-matter.ts';
import { renderMarkdown } from '../site/markdown.ts';
import { readSources } from '../site/sources.ts';

const sources = readSources();
const place = {
  file: 'guides/consent.md',
  address: 'guides/consent/',
  title: 'Consent',
  description: 'About consent.',
};
const render = (body: string) => renderMarkdown(body, place, sources);

describe('a page', () => {
  test('has its title, description and place at its head, and nothing else', () => {
    const head = 'title: A page\ndescription: What this page is about.\norder: 3';
    assert.deepEqual(readFrontMatter('a.md', `---\n${head}\n---\ntext`), {
      matter: { title: 'A page', description: 'What this page is about.', order: 3 },
      body: 'text',
    });
    for (const [wrong, message] of [
      ['no head', /must begin with front matter/],
      [`---\n${head}\nauthor: me\n---\n`, /knows no author/],
      ['---\ntitle: A page\norder: 3\n---\n', /description must have/],
      [`---\n${head.replace('3', 'three')}\n---\n`, /order must be a number/],
    ] as const)
      assert.throws(() => readFrontMatter('a.md', wrong), message);
  });

  test('gives each heading an anchor that links to itself', () => {
    const { content, headings } = render('## What it *does*\n\n### Named {#another}\n');
    assert.deepEqual(headings, [
      { level: 2, id: 'what-it-does', text: 'What it does' },
      { level: 3, id: 'another', text: 'Named' },
    ]);
    assert.match(content, /<h2 id="what-it-does"><a class="anchor" href="#what-it-does">/);
  });

  test('rejects headings that skip a level, are duplicates, or are a second title', () => {
    assert.throws(() => render('## One\n\n#### Three\n'), /skips a level/);
    assert.throws(() => render('## Same\n\n## Same\n'), /two headings are called "Same"/);
    assert.throws(() => render('# Title\n'), /the only heading of the first level/);
  });

  test('links to pages by their files, and to the reference by names', () => {
    const { content, links } = render(
      '[a](../webhooks/verify.md#retries) [b](operation:captureConsentRecord) [](error:not_found) [c](schema:Notice) [d](tag:Audit)',
    );
    assert.deepEqual(links, [
      { address: 'webhooks/verify/', anchor: 'retries' },
      { address: 'reference/consent-records/', anchor: 'captureConsentRecord' },
      { address: 'reference/errors/', anchor: 'not_found' },
      { address: 'reference/schemas/', anchor: 'Notice' },
      { address: 'reference/audit/', anchor: '' },
    ]);
    assert.match(content, /href="\.\.\/\.\.\/webhooks\/verify\/#retries"/);
    assert.match(content, /<a [^>]*><code>not_found<\/code><\/a>/);
  });

  test('refuses links to nothing, to files that are no pages, and to other schemes', () => {
    for (const target of [
      'operation:nothing',
      'error:nothing',
      'page.html',
      '/absolute',
      'http://example.com',
      'mailto:a@example.com',
    ])
      assert.throws(() => render(`[a](${target})`), /guides\/consent\.md: /, target);
  });

  test('colors code, names its language and its file, and escapes it', () => {
    const { content } = render('```ts title="a.ts"\nconst a = "<b>";\n```\n');
    assert.match(content, /<span class="code-title">a\.ts<\/span> <span class="code-language">TypeScript<\/span>/);
    assert.match(content, /<span class="h-keyword">const<\/span>/);
    assert.match(content, /&lt;b&gt;/);
    const { content: json } = render('```json\n{ "a": [1] }\n```\n');
    assert.match(
      json,
      /<code>\{ <span class="h-attr">&quot;a&quot;<\/span>: \[<span class="h-number">1<\/span>\] \}<\/code>/,
    );
  });

  test('refuses a fence without a language, with one that no test runs, and one that is not run without a reason', () => {
    for (const fence of [
      '```\na\n```',
      '```cobol\na\n```',
      '```sh no-run\na\n```',
      '```sh maybe\na\n```',
      '    indented code',
    ])
      assert.throws(() => render(`${fence}\n`), /guides\/consent\.md: /, fence);
    assert.match(render('```sh no-run reason="needs a whole machine"\nreboot\n```\n').content, /reboot/);
  });

  test('has call-outs, steps, cards and tabs, and refuses containers that are not known or do not end', () => {
    const { content } = render('::: warning Mind this\nText\n:::\n\n::: tabs\n```sh title="curl"\nls\n```\n:::\n');
    assert.match(content, /<aside class="call-out warning" aria-label="Mind this">/);
    assert.match(content, /<div class="tabs">\s*<figure/);
    assert.throws(() => render('::: box\n:::\n'), /no container "box"/);
    assert.throws(() => render('::: note\ntext\n'), /does not end/);
  });

  test('takes no HTML', () => assert.match(render('<b>bold</b>').content, /&lt;b&gt;/));

  test('takes partials by their names, and refuses others', () => {
    assert.match(render('{{ widget-attributes svc-trust-badge }}').content, /<code>show-frameworks<\/code>/);
    assert.match(render('{{ error-table 409 }}').content, /consent_notice_not_published/);
    assert.match(render('{{ settings }}').content, /SVC_BASE_URL/);
    assert.match(render('{{ commands }}').content, /svc tenant create/);
    assert.match(render('{{ scopes }}').content, /breach:write/);
    const { content: events } = render('{{ event-types }}');
    for (const type of eventTypes) assert.match(events, new RegExp(`<th scope="row"><code>${type}</code></th>`));
    assert.match(events, /<code>dsrId<\/code>, <code>subjectId<\/code>, <code>type<\/code>, <code>outcome<\/code>/);
    assert.match(render('{{ widget-tag svc-consent }}').content, /sha384-/);
    assert.match(render('{{ changelog }}').content, /<h2/);
    assert.throws(() => render('{{ nothing }}'), /there is no partial/);
    assert.throws(() => render('{{ widget-tag svc-nothing }}'), /there is no widget/);
  });
});
