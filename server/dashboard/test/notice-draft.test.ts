import { expect } from '@open-wc/testing';
import type { NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { judgeAccent } from '../src/accent.ts';
import { type Draft, listEdits, put, putInput, readDraft, splitLifetime, writeDraft } from '../src/notice-draft.ts';

const content: NoticeContent = {
  name: 'Website',
  controllerName: 'Example Ltd',
  language: 'en',
  domain: 'example.com',
  purposes: [
    {
      key: 'a.b',
      label: 'Analytics',
      description: 'Counts visits.',
      required: false,
      basis: 'object',
      basisByRegion: { 'US-CA': 'object', DE: 'consent' },
      trackers: [{ name: '_ga', provider: 'Google', lifetime: 'P13M', thirdParty: true }],
      recipients: [],
    },
    { key: 'ads', label: 'Ads', description: '', required: false },
  ],
  texts: { title: 'Hello' },
  theme: { layout: 'bar', position: 'top' },
  translations: {
    de: {
      texts: { title: 'Hallo' },
      purposes: { 'a.b': { label: 'Statistik', description: 'Zählt.' }, ads: { label: 'Werbung', description: '' } },
    },
    fr: { purposes: {} },
  },
  links: { privacyPolicy: 'https://example.com/privacy' },
};

/** The draft after input in a field. */
function enter(
  draft: Draft,
  name: string,
  value: string | boolean,
  data: Readonly<Record<string, string>> = {},
): Draft {
  const input = document.createElement('input');
  input.name = name;
  if (typeof value === 'boolean') {
    input.type = 'checkbox';
    input.checked = value;
  } else input.value = value;
  Object.assign(input.dataset, data);
  return putInput(draft, input);
}

describe('draft of a notice', () => {
  it('writes what it was read from', () => {
    expect(writeDraft(readDraft(content))).to.deep.equal(content);
    expect(listEdits(content, readDraft(content))).to.deep.equal({});
  });

  it('keeps a translation with its purpose when that gets another key, another place, or is removed', () => {
    const renamed = enter(readDraft(content), 'purposes.0.key', 'ads');
    const again = enter(renamed, 'purposes.0.key', 'analytics');
    const draft = { ...again, purposes: again.purposes.toReversed() };
    expect(writeDraft(draft).translations?.de?.purposes).to.deep.equal({
      ads: { label: 'Werbung', description: '' },
      analytics: { label: 'Statistik', description: 'Zählt.' },
    });
    const left = { ...draft, purposes: draft.purposes.slice(0, 1) };
    expect(Object.keys(writeDraft(left).translations?.de?.purposes ?? {})).to.deep.equal(['ads']);
  });

  it('puts a value where the path says, also for a key with a dot', () => {
    const path = JSON.stringify(['purposes', 0, 'words', 'fr', 'label']);
    const draft = enter(readDraft(content), 'translations.fr.purposes.a.b.label', 'Mesure', { path });
    expect(writeDraft(draft).translations?.fr?.purposes).to.deep.equal({
      'a.b': { label: 'Mesure', description: '' },
    });
  });

  it('states no basis for a purpose that cannot be refused, and keeps it for one that can again', () => {
    const required = enter(readDraft(content), 'purposes.0.required', true);
    const [purpose] = writeDraft(required).purposes;
    expect([purpose?.basis, purpose?.basisByRegion]).to.deep.equal([undefined, undefined]);
    expect(writeDraft(enter(required, 'purposes.0.required', false))).to.deep.equal(content);
  });

  it('removes what is empty', () => {
    const emptied = ['texts.title', 'theme.layout', 'theme.position', 'links.privacyPolicy'].reduce(
      (draft, name) => enter(draft, name, ''),
      readDraft(content),
    );
    const draft = put(emptied, ['translations'], {}) as Draft;
    expect(listEdits(content, draft)).to.deep.equal({ texts: null, theme: null, links: null, translations: null });
  });

  it('splits a lifetime of one unit', () => {
    expect(splitLifetime('PT30M')).to.deep.equal({ amount: '30', unit: 'minutes' });
    expect(splitLifetime('P13M')).to.deep.equal({ amount: '13', unit: 'months' });
    for (const lifetime of ['session', 'persistent', 'P1Y6M']) expect(splitLifetime(lifetime)).to.equal(null);
  });
});

describe('accent of a notice', () => {
  it('has text of at least 4.5 : 1, whatever it is', () => {
    for (let step = 0; step < 16 ** 3; step += 1) {
      const accent = `#${[...step.toString(16).padStart(3, '0')].map((digit) => digit + digit).join('')}`;
      expect(judgeAccent(accent)?.textContrast, accent).to.be.at.least(4.5);
    }
  });

  it('is measured against both backgrounds', () => {
    const { light = 0, dark = 0 } = judgeAccent('#ffe000')?.background ?? {};
    expect([light < 3, dark > 3]).to.deep.equal([true, true]);
    expect(judgeAccent('#fff')).to.equal(null);
    expect(judgeAccent('red')).to.equal(null);
  });
});
