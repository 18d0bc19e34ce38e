import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { DataCategory, DataSubjectRight } from '../../consent/notice-facts.ts';
import { CaptureMethod } from '../../consent/record.ts';
import { noticeContent } from '../harness.ts';
import { assertAbsent, needle } from '../needle.ts';
import { knownTerms, territories } from './dpv-terms.ts';
import { capture, createFreshTenant, describeServerOnEachDatabase, payload, visit, withdraw } from './helpers.ts';

const statedOfPurpose = {
  dataCategories: ['ip_address', 'browsing_behaviour'],
  storage: { period: 'P14M', locations: ['DE', 'IE'] },
  recipients: [
    {
      name: 'Counting GmbH',
      role: 'processor',
      address: 'Zählweg 1, 10115 Berlin',
      email: 'privacy@counting.example',
      country: 'DE',
    },
  ],
};
const stated = {
  controllerContact: { address: '1 Example Road, Dublin', email: 'privacy@example.com' },
  links: {
    privacyPolicy: 'https://example.com/privacy',
    withdrawal: 'https://example.com/choices',
    rights: 'https://example.com/rights',
  },
  rights: ['withdraw_consent', 'access', 'complaint'],
  jurisdictions: ['EU', 'IE'],
  consentDuration: 'P1Y',
  purposes: noticeContent.purposes.map((purpose) => (purpose.required ? purpose : { ...purpose, ...statedOfPurpose })),
};

const texts = z.string().min(1);
const instant = z.iso.datetime({ precision: 3 });
const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);
const postalAddress = z.object({ '@type': z.literal('schema:PostalAddress'), 'schema:streetAddress': texts });
const contactPoint = z.object({ '@type': z.literal('schema:ContactPoint'), 'schema:email': texts });
const hasType = (type: string) => (points: readonly { '@type': string }[]) =>
  points.some((point) => point['@type'] === type);
const entity = z.object({
  '@id': texts,
  '@type': z.enum(['dpv:DataController', 'dpv:DataProcessor', 'dpv:ThirdParty']),
  'dpv:hasIdentifier': texts,
  'dpv:hasName': texts,
  'schema:contactPoint': z
    .array(z.union([postalAddress, contactPoint]))
    .refine(hasType('schema:PostalAddress'))
    .refine(hasType('schema:ContactPoint')),
});
const duration = z.object({
  '@type': z.literal('dpv:TemporalDuration'),
  'rdf:value': z.object({ '@type': z.literal('xsd:duration'), '@value': texts }),
});
const untilEvent = z.object({ '@type': z.literal('dpv:UntilEventDuration'), 'rdf:value': texts });
const storageLocation = z.object({ '@type': z.literal('dpv:StorageLocation'), 'dpv:hasLocation': some(texts) });
const storageDuration = z.object({
  '@type': z.literal('dpv:StorageDuration'),
  'dpv:hasDuration': z.union([duration, untilEvent]),
});
const status = { 'dpv:isIndicatedAtTime': instant, 'dpv:isIndicatedBy': texts };
const given = z.object({
  '@type': z.tuple([
    z.enum(['dpv:ConsentGiven', 'dpv:RenewedConsentGiven']),
    z.enum(['dpv:ExpressedConsent', 'dpv:Consent']),
  ]),
  ...status,
  'dpv:hasDuration': duration,
});
const notGiven = z.object({ '@type': z.enum(['dpv:ConsentRefused', 'dpv:ConsentWithdrawn']), ...status });

/** The fields that the guide marks "This field MUST be present": sections 8 (record) and 9 (receipt). */
const completeReceipt = z.object({
  '@type': z.literal('dpv:ConsentReceipt'),
  'dct:conformsTo': z.literal('https://w3id.org/dpv/schema/dpv-27560#receipt'),
  'dct:identifier': texts,
  'dpv:hasIdentifier': texts,
  'dct:created': instant,
  'dpv:hasRecordOfActivity': some(
    z.object({
      '@type': z.literal('dpv:ConsentRecord'),
      'dct:conformsTo': z.literal('https://w3id.org/dpv/schema/dpv-27560#record'),
      'dct:identifier': texts,
      'dpv:hasDataSubject': z.object({ '@id': texts, '@type': z.literal('dpv:DataSubject') }),
      'dpv:hasNotice': z
        .array(z.object({ '@id': texts, '@type': texts, 'dct:language': texts.optional() }))
        .refine((notices) => notices.some((one) => one['@type'] === 'dpv:ConsentNotice' && one['dct:language'])),
      'dpv:hasProcess': z.object({
        '@type': z.literal('dpv:Process'),
        'dpv:hasPurpose': z.object({ '@type': z.literal('dpv:Purpose') }),
        'dpv:hasPersonalData': some(z.object({ 'skos:broader': texts })),
        'dpv:hasStorageCondition': z.tuple([storageLocation, storageDuration], storageDuration),
        'dpv:hasDataController': texts,
        'dpv:hasLegalBasis': texts,
        'dpv:hasRecipient': some(texts),
        'dpv:hasConsentControl': some(
          z.object({ '@type': z.literal('dpv:WithdrawConsent'), 'dpv:isExercisedAt': texts }),
        ),
        'dpv:hasJurisdiction': some(texts),
        'dpv:hasRight': some(z.object({ '@type': some(texts) })),
      }),
      'dpv:hasConsentStatus': some(z.union([given, notGiven])),
      'dpv:hasEntity': some(entity),
    }),
  ),
});

/** The addresses that a receipt uses as properties, types and values, with the prefixes of its context. */
function listTerms(receipt: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const context = receipt['@context'] as Readonly<Record<string, string | { readonly '@type': string }>>;
  const terms = new Set<string>();
  const add = (name: string) => {
    const [prefix = '', local = ''] = name.split(/:(.*)/s);
    const namespace = context[prefix];
    if (typeof namespace === 'string') terms.add(`${namespace}${local}`);
    else if (name.startsWith('https://w3id.org/')) terms.add(name);
    else assert.match(name, /^(?:urn:uuid:|https:\/\/example\.com\/)/, 'an address that is neither a term nor ours');
  };
  const isAddress = (key: string) => key === '@type' || key === '@id' || Object(context[key])['@type'] === '@id';
  const walk = (key: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(key, one);
    else if (typeof value === 'string' && isAddress(key)) add(value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (!name.startsWith('@')) add(name);
        walk(name, inner);
      }
  };
  const { '@context': _, missing: __, ...content } = receipt;
  walk('', content);
  for (const [name, definition] of Object.entries(context)) {
    if (typeof definition === 'string') continue;
    add(name);
    if (definition['@type'] !== '@id') add(definition['@type']);
  }
  return terms;
}

describeServerOnEachDatabase('GET /v1/consent/records/{recordId}/receipt', (server) => {
  const readText = async (recordId: string, key?: string) => {
    const answer = await server.request(
      'GET',
      `/v1/consent/records/${recordId}/receipt`,
      key === undefined ? {} : { key },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  const read = async (recordId: string, key?: string): Promise<any> => JSON.parse((await readText(recordId, key)).text);
  const capturedIn = async (notice: string, body: object = {}, key?: string): Promise<string> =>
    payload(await capture(server, notice, body, key === undefined ? {} : { key })).id;
  /** The hash of what visitors get in a language. */
  const hashShown = async (notice: string, language: string): Promise<string> => {
    const path = `/v1/public/consent/${notice}?language=${language}`;
    return hash('sha256', (await server.request('GET', path, { key: null })).text);
  };
  /** The states of the first consent record, without the prefix. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  const listStates = (receipt: any, index = 0): readonly string[] =>
    receipt['dpv:hasRecordOfActivity'][index]['dpv:hasConsentStatus'].map(
      // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
      (event: any) =>
        `${[event['@type']].flat()[0].replace('dpv:', '')} ${event['dpv:isIndicatedAtTime'].slice(0, 10)}`,
    );

  test('has every field that the profile requires if the notice states them', async () => {
    const notice = await server.createNotice({ content: stated });
    const body = { purposes: { analytics: true, marketing: false }, method: 'checkbox' };
    const answer = await readText(await capturedIn(notice, body));
    assert.equal(answer.headers.get('content-type'), 'application/ld+json');
    const receipt = JSON.parse(answer.text);
    assert.deepEqual(receipt.missing, []);
    completeReceipt.parse(receipt);
    assert.deepEqual(
      [listStates(receipt, 0), listStates(receipt, 1)],
      [['ConsentGiven 2026-11-21'], ['ConsentRefused 2026-11-21']],
    );
  });

  test('repeats what the version of the notice states, and what the ledger holds', async () => {
    const notice = await server.createNotice({ content: stated });
    const record = payload(await capture(server, notice, { subjectId: 'ada', method: 'checkbox' }));
    await server.request('PATCH', `/v1/consent/${notice}`, {
      body: { controllerName: 'Another Ltd', jurisdictions: ['FR'] },
    });
    await server.request('POST', `/v1/consent/${notice}/publish`);
    const receipt = await read(record.id);
    const [consent] = receipt['dpv:hasRecordOfActivity'];
    const process = consent['dpv:hasProcess'];
    assert.equal(consent['dpv:hasDataSubject']['dct:identifier'], 'ada');
    assert.deepEqual(process['dpv:hasJurisdiction'], ['loc:EU', 'loc:IE']);
    assert.deepEqual(process['dpv:hasPurpose']['dct:title'], 'Analytics');
    assert.deepEqual(process['dpv:hasConsentControl'][0]['dpv:isExercisedAt'], 'https://example.com/choices');
    const [controller, recipient] = consent['dpv:hasEntity'];
    assert.deepEqual([controller['dpv:hasName'], process['dpv:hasDataController']], ['Example Ltd', controller['@id']]);
    assert.deepEqual(process['dpv:hasRecipient'], [recipient['@id']]);
    assert.deepEqual([recipient['dpv:hasName'], recipient['dpv:hasLocation']], ['Counting GmbH', 'loc:DE']);
    const [shown] = consent['dpv:hasNotice'];
    assert.deepEqual(
      [shown['schema:version'], shown['dct:language'], shown['spdx:checksum']['spdx:checksumValue']],
      ['1', 'en', record.noticeContentHash],
    );
    const entry = receipt['dct:source'];
    assert.deepEqual(
      [entry['dct:identifier'], entry['schema:position'], `sha256:${entry['spdx:checksum']['spdx:checksumValue']}`],
      [record.id, record.sequence, record.ledgerHash],
    );
  });

  test('names what the notice does not state, invents nothing and does not claim the profile', async () => {
    const receipt = await read(await capturedIn(await server.createNotice()));
    assert.deepEqual(receipt.missing, [
      'controllerContact.address',
      'controllerContact.email',
      'purposes.analytics.dataCategories',
      'purposes.analytics.storage.locations',
      'purposes.analytics.storage.period',
      'purposes.analytics.recipients',
      'links.withdrawal',
      'jurisdictions',
      'rights',
      'consentDuration',
    ]);
    assert.doesNotMatch(JSON.stringify(receipt), /dpv-27560|"loc:|"pd:|"eu-gdpr:A|P\d/);
    const [consent] = receipt['dpv:hasRecordOfActivity'];
    assert.deepEqual(Object.keys(consent['dpv:hasProcess']), [
      '@type',
      'dpv:hasPurpose',
      'dpv:hasDataController',
      'dpv:hasLegalBasis',
    ]);
    assert.equal(consent['dpv:hasEntity'].length, 1);
  });

  for (const [path, missing] of [
    ['controllerContact', ['controllerContact.address', 'controllerContact.email']],
    ['links', ['links.withdrawal']],
    ['rights', ['rights']],
    ['jurisdictions', ['jurisdictions']],
    ['consentDuration', ['consentDuration']],
    ['dataCategories', ['purposes.analytics.dataCategories']],
    ['storage', ['purposes.analytics.storage.locations', 'purposes.analytics.storage.period']],
    ['recipients', ['purposes.analytics.recipients']],
  ] as const) {
    test(`does not claim the profile without ${path}`, async () => {
      const { [path as 'links']: _, ...content } = stated;
      const purposes = stated.purposes.map(({ [path as 'key']: __, ...purpose }) => purpose);
      const receipt = await read(await capturedIn(await server.createNotice({ content: { ...content, purposes } })));
      assert.deepEqual(receipt.missing, missing);
      assert.equal(completeReceipt.safeParse(receipt).success, false);
      assert.doesNotMatch(JSON.stringify(receipt), /dpv-27560/);
    });
  }

  test('names an incomplete recipient, and takes an empty list as the controller only', async () => {
    const withRecipients = (recipients: readonly object[]) => ({
      ...stated,
      purposes: stated.purposes.map((purpose) => ({ ...purpose, ...statedOfPurpose, recipients })),
    });
    const partial = withRecipients([{ name: 'Ads Ltd', role: 'third_party' }]);
    assert.deepEqual((await read(await capturedIn(await server.createNotice({ content: partial })))).missing, [
      'purposes.analytics.recipients.0.address',
      'purposes.analytics.recipients.0.email',
    ]);
    const receipt = await read(await capturedIn(await server.createNotice({ content: withRecipients([]) })));
    completeReceipt.parse(receipt);
    const [consent] = receipt['dpv:hasRecordOfActivity'];
    const process = consent['dpv:hasProcess'];
    assert.deepEqual(process['dpv:hasRecipient'], [process['dpv:hasDataController']]);
  });

  test('uses only terms of the vocabularies, for every value that a notice can state', async () => {
    const places = (index: number) => territories.slice(index * 50, index * 50 + 50);
    const purposes = Array.from({ length: 5 }, (_, index) => ({
      key: `p${index}`,
      label: 'Purpose',
      description: '',
      required: false,
      ...statedOfPurpose,
      dataCategories: DataCategory.options,
      storage: { period: 'P1Y', criteria: 'Account closure', locations: places(index) },
      recipients: [
        { ...statedOfPurpose.recipients[0], role: 'third_party' },
        { ...statedOfPurpose.recipients[0], role: 'processor' },
      ],
    }));
    const content = { ...stated, purposes, rights: DataSubjectRight.options };
    const notice = await server.createNotice({ content });
    const choices = (granted: boolean) => ({
      purposes: Object.fromEntries(purposes.map(({ key }) => [key, granted])),
      method: CaptureMethod.options[0],
    });
    const record = await capturedIn(notice, choices(true));
    for (const granted of [true, false, false]) await capturedIn(notice, choices(granted));
    await server.request('POST', '/v1/ledgers/consent/checkpoints');
    const receipt = await read(record);
    completeReceipt.parse(receipt);
    const used = listTerms(receipt);
    assert.deepEqual(
      [...used].filter((term) => !knownTerms.has(term)),
      [],
    );
    assert.ok(territories.length === 250 && territories.every((code) => used.has(`https://w3id.org/dpv/loc#${code}`)));
    // Every term of the list is used: the list stays as short as the receipts.
    const shown = payload(await visit(server, notice, { ...choices(true), shownHash: await hashShown(notice, 'en') }));
    const others = [await read(await capturedIn(notice, { purposes: { p0: true } })), await read(shown.id)];
    const seen = new Set([used, ...others.map(listTerms)].flatMap((terms) => [...terms]));
    assert.deepEqual(
      [...knownTerms].filter((term) => !seen.has(term)),
      [],
    );
  });

  test('has the grant before a withdrawal, and the later decisions, with their times', async () => {
    const notice = await server.createNotice({ content: stated });
    const decide = (subjectId: string, analytics: boolean, capturedAt: string) =>
      capturedIn(notice, { subjectId, purposes: { analytics }, capturedAt });
    const first = await decide('grace', true, '2026-01-01T00:00:00Z');
    await decide('other', false, '2026-01-15T00:00:00Z');
    const renewed = await decide('grace', true, '2026-02-01T00:00:00Z');
    const withdrawal = payload(
      await withdraw(server, notice, renewed, { purposes: ['analytics'], capturedAt: '2026-03-01T00:00:00Z' }),
    ).id;
    await capturedIn(notice, { subjectId: 'grace', purposes: { marketing: true } });
    await decide('grace', false, '2026-04-01T00:00:00Z');
    const all = [
      'ConsentGiven 2026-01-01',
      'RenewedConsentGiven 2026-02-01',
      'ConsentWithdrawn 2026-03-01',
      'ConsentRefused 2026-04-01',
    ];
    assert.deepEqual(listStates(await read(first)), all);
    assert.deepEqual(listStates(await read(renewed)), all);
    assert.deepEqual(listStates(await read(withdrawal)), ['ConsentGiven 2026-02-01', ...all.slice(2)]);
  });

  test('has the duration that the version of each consent states, or none', async () => {
    const notice = await server.createNotice({ content: stated });
    const give = (day: string) =>
      capturedIn(notice, { subjectId: 'anna', purposes: { analytics: true }, capturedAt: `2026-0${day}-01T00:00:00Z` });
    const publish = async (consentDuration: string | null) => {
      await server.request('PATCH', `/v1/consent/${notice}`, { body: { consentDuration } });
      payload(await server.request('POST', `/v1/consent/${notice}/publish`), 200);
    };
    const first = await give('1');
    await publish('P6M');
    const second = await give('2');
    const list = async (record: string) => {
      const receipt = await read(record);
      const [{ 'dpv:hasConsentStatus': events }] = receipt['dpv:hasRecordOfActivity'];
      return [
        // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
        events.map((event: any) => event['dpv:hasDuration']?.['rdf:value']['@value'] ?? null),
        receipt.missing,
      ];
    };
    for (const record of [first, second]) assert.deepEqual(await list(record), [['P1Y', 'P6M'], []]);
    await publish(null);
    const third = await give('3');
    for (const record of [first, third])
      assert.deepEqual(await list(record), [
        record === first ? ['P1Y', 'P6M', null] : ['P6M', null],
        ['consentDuration'],
      ]);
    // Its history starts with the consent that held before it.
    const withdrawal = payload(await withdraw(server, notice, third, { purposes: ['analytics'] })).id;
    assert.deepEqual(await list(withdrawal), [[null, null], ['consentDuration']]);
  });

  test('has the words and the language that the visitor was shown, and only purposes that needed consent', async () => {
    const [necessary, analytics, marketing] = stated.purposes;
    const words = (label: string) => ({ label, description: '' });
    const german = { necessary: words('Notwendig'), analytics: words('Statistik'), marketing: words('Werbung') };
    const blank = stated.purposes.map((purpose) => ({ ...purpose, description: '' }));
    assert.deepEqual([necessary?.key, analytics?.key, marketing?.key], Object.keys(german));
    const purposes = blank.map((purpose) =>
      purpose.key === 'marketing' ? { ...purpose, basisByRegion: { GB: 'object' } } : purpose,
    );
    const content = { ...stated, purposes, translations: { de: { purposes: german } } };
    const notice = await server.createNotice({ content });
    const shownHash = await hashShown(notice, 'de');
    const receipt = await read(payload(await visit(server, notice, { shownHash, region: 'GB' })).id);
    const [consent, ...more] = receipt['dpv:hasRecordOfActivity'];
    assert.deepEqual([more, receipt.missing], [[], []]);
    completeReceipt.parse(receipt);
    assert.deepEqual(consent['dpv:hasProcess']['dpv:hasPurpose'], {
      '@type': 'dpv:Purpose',
      'dct:identifier': 'analytics',
      'dct:title': 'Statistik',
    });
    const [{ 'dct:language': language, 'dct:hasFormat': bytes }] = consent['dpv:hasNotice'];
    assert.deepEqual(
      [language, bytes['dct:language'], bytes['spdx:checksum']['spdx:checksumValue']],
      ['de', 'de', shownHash],
    );
    const unverified = await read(payload(await visit(server, notice, { shownHash: 'unverified', language: 'de' })).id);
    assert.equal(unverified['dpv:hasRecordOfActivity'][0]['dpv:hasNotice'][0]['dct:hasFormat'], undefined);
    assert.equal(unverified['dpv:hasRecordOfActivity'].length, 2);
  });

  test('keeps to the decisions of its space', async () => {
    const notice = await server.createNotice({ content: stated });
    const record = await capturedIn(notice, { subjectId: 'same' });
    payload(
      await visit(server, notice, {
        subjectId: 'same',
        purposes: { necessary: true, analytics: false, marketing: false },
      }),
    );
    assert.equal(listStates(await read(record)).length, 1);
  });

  test('keeps apart a purpose and what has its name', async () => {
    const purposes = [{ ...noticeContent.purposes[1], key: 'data-subject' }];
    const notice = await server.createNotice({ content: { purposes } });
    const receipt = await read(await capturedIn(notice, { purposes: { 'data-subject': true } }));
    const [consent] = receipt['dpv:hasRecordOfActivity'];
    assert.notEqual(consent['@id'], consent['dpv:hasDataSubject']['@id']);
  });

  test('leaves out purposes that cannot be refused', async () => {
    const notice = await server.createNotice({ content: stated });
    const visited = payload(await visit(server, notice, { method: 'anything' }));
    const receipt = await read(visited.id);
    const records = receipt['dpv:hasRecordOfActivity'];
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
      records.map((one: any) => one['dpv:hasProcess']['dpv:hasPurpose']['dct:identifier']),
      ['analytics', 'marketing'],
    );
    // How the decision was made is not known.
    assert.equal(records[0]['dpv:hasProcess']['dpv:hasLegalBasis'], 'dpv:Consent');
    const required = await read(await capturedIn(notice, { purposes: { necessary: true } }));
    assert.deepEqual([required.missing, required['dpv:hasRecordOfActivity']], [['purposes'], []]);
  });

  test('has the checkpoint once one covers the record', async () => {
    const { key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const record = await capturedIn(notice, {}, key);
    assert.deepEqual((await read(record, key))['dct:provenance'], []);
    const { note } = payload(await server.request('POST', '/v1/ledgers/consent/checkpoints', { key }));
    assert.equal((await read(record, key))['dct:provenance'][0]['rdf:value'], note);
    assert.deepEqual((await read(await capturedIn(notice, {}, key), key))['dct:provenance'], []);
  });

  test('names at most 200 later decisions, and says so', async () => {
    const notice = await server.createNotice({ content: stated });
    const record = await capturedIn(notice, { subjectId: 'busy' });
    const decide = (analytics: boolean) => capturedIn(notice, { subjectId: 'busy', purposes: { analytics } });
    await decide(false);
    await Promise.all(Array.from({ length: 199 }, () => decide(true)));
    const whole = await read(record);
    assert.equal(listStates(whole).length, 201);
    assert.deepEqual(whole['dct:provenance'], []);
    await decide(false);
    const cut = await read(record);
    const states = listStates(cut).map((state) => state.split(' ')[0]);
    assert.deepEqual(
      [states.length, ...states.slice(0, 2), ...states.slice(-2)],
      [201, 'ConsentGiven', 'ConsentGiven', 'RenewedConsentGiven', 'ConsentWithdrawn'],
    );
    assert.match(cut['dct:provenance'][0]['dct:description'], /only the latest 200/);
  });

  test('has no identifier of an erased subject', async () => {
    const erased = needle('subject');
    const notice = await server.createNotice({ content: stated });
    const record = await capturedIn(notice, { subjectId: erased, capturedAt: '2026-01-01T00:00:00Z' });
    const withdrawal = payload(await withdraw(server, notice, record, { capturedAt: '2026-02-01T00:00:00Z' })).id;
    assert.ok((await readText(record)).text.includes(erased));
    payload(
      await server.request('POST', `/v1/consent/subjects/${erased}/erase`, { body: { reason: 'Asked for it' } }),
      200,
    );
    const states = {
      [record]: ['ConsentGiven 2026-01-01'],
      [withdrawal]: ['ConsentGiven 2026-01-01', 'ConsentWithdrawn 2026-02-01'],
    };
    for (const [id, expected] of Object.entries(states)) {
      const { text } = await readText(id);
      assertAbsent(text, erased);
      const receipt = JSON.parse(text);
      completeReceipt.parse(receipt);
      assert.deepEqual(listStates(receipt), expected);
      const subject = receipt['dpv:hasRecordOfActivity'][0]['dpv:hasDataSubject'];
      assert.deepEqual(subject, { '@id': `urn:uuid:${id}#data-subject`, '@type': 'dpv:DataSubject' });
      assert.match(receipt['dct:provenance'][0]['dct:description'], /was erased at/);
    }
  });
});
