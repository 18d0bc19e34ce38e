import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as browser from '../../../packages/node-sdk/src/ledger/browser.ts';
import * as node from '../../../packages/node-sdk/src/ledger/index.ts';
import type { ConsentRecord, InclusionProof } from '../../../packages/node-sdk/src/types/api.ts';
import { runSvc } from '../cli/run-svc.ts';
import { allGranted, capture, payload, visit } from '../consent/helpers.ts';
import { describeOnEachDatabase, noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { fetchPublicKey, requestCheckpoint } from './ledger-requests.ts';

const tracker = { name: '_count', provider: 'Zähler GmbH', lifetime: 'P13M', thirdParty: true };
const [necessary, analytics, marketing] = noticeContent.purposes;
const content = {
  purposes: [necessary, { ...analytics, trackers: [tracker], basisByRegion: { GB: 'object' } }, marketing],
  texts: { title: 'Your choice', intro: 'We count visits.' },
  translations: {
    de: {
      texts: { title: 'Ihre Wahl', intro: 'Wir zählen Besuche für {purposes}.' },
      purposes: {
        necessary: { label: 'Notwendig', description: 'Hält die Seite am Laufen.' },
        analytics: { label: 'Statistik', description: 'Zählt Besuche.' },
        marketing: { label: 'Werbung', description: 'Zeigt Angebote.' },
      },
    },
  },
};

type Fault = node.LedgerFault;

describeOnEachDatabase('the words of a record', (dialect) => {
  let server: TestServer;
  let publicKey: string;
  let notice: string;
  before(async () => {
    server = await startTestServer(dialect);
    publicKey = await fetchPublicKey(server);
    notice = await server.createNotice({ content });
  });
  after(() => server[Symbol.asyncDispose]());

  const readShown = async (language: string, id = notice) =>
    (await server.request('GET', `/v1/public/consent/${id}?language=${language}`, { key: null })).text;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const decide = async (body: object) => {
    const { id } = payload(await visit(server, notice, body));
    return prove(id);
  };
  /** From the id of a record: the record and its proof. */
  const prove = async (id: string) => {
    const record: ConsentRecord = payload(await server.request('GET', `/v1/consent/records/${id}`), 200);
    await requestCheckpoint(server, server.tenant, 'consent');
    const path = `/v1/ledgers/consent/inclusion-proof?sequence=${record.sequence}`;
    const proof: InclusionProof = payload(await server.request('GET', path), 200);
    return { record, proof, publicKey };
  };
  const refuse = (options: node.ShownOptions, ...codes: readonly Fault[]) =>
    Promise.all(
      [node, browser].map(({ verifyShown }) =>
        assert.rejects(verifyShown(options), (error) => {
          assert.ok(node.LedgerVerificationError.isInstance(error), String(error));
          assert.ok(codes.includes(error.code), error.message);
          return true;
        }),
      ),
    );

  test('are proved offline from the record, its proof and the bytes, in Node and in browsers', async () => {
    const shown = await readShown('de');
    const purposes = { ...allGranted, marketing: false };
    const proved = await decide({ shownHash: hash(shown), region: 'GB', purposes });
    assert.equal(proved.proof.shown, shown);
    for (const { verifyShown } of [node, browser]) {
      const words = await verifyShown(proved);
      assert.deepEqual(
        [words.title, words.language, words.region, words.noticeId, words.noticeVersion],
        ['Ihre Wahl', 'de', 'GB', notice, 1],
      );
      assert.match(words.intro, /^Wir zählen Besuche für .*Statistik.*Werbung/);
      const trackers: object[] = [];
      assert.deepEqual(words.purposes, [
        {
          ...content.translations.de.purposes.necessary,
          key: 'necessary',
          required: true,
          trackers,
          granted: true,
          basis: 'exempt',
        },
        {
          ...content.translations.de.purposes.analytics,
          key: 'analytics',
          required: false,
          trackers: [tracker],
          granted: true,
          basis: 'object',
        },
        {
          ...content.translations.de.purposes.marketing,
          key: 'marketing',
          required: false,
          trackers,
          granted: false,
          basis: 'consent',
        },
      ]);
      assert.deepEqual(words.notice, JSON.parse(shown).data);
      assert.equal(words.sequence, proved.record.sequence);
    }
  });

  test('are those of the version that was shown, from the operation for its bytes', async () => {
    const shownHash = hash(await readShown('en'));
    await server.request('PATCH', `/v1/consent/${notice}`, { body: { texts: { title: 'Another title' } } });
    payload(await server.request('POST', `/v1/consent/${notice}/publish`), 200);
    const { proof, ...rest } = await decide({ shownHash });
    const { text } = await server.request('GET', `/v1/consent/${notice}/shown/${shownHash}`);
    const without = { ...rest, proof: { ...proof, shown: null } };
    for (const shown of [text, Buffer.from(text)])
      assert.equal((await node.verifyShown({ ...without, shown })).title, 'Your choice');
    await refuse(without, 'shown_missing');
    const newer = await readShown('en');
    await refuse({ ...without, shown: newer }, 'shown_mismatch');
  });

  test('are not proved by other bytes, a changed record or a foreign key', async () => {
    const [en, de] = [await readShown('en'), await readShown('de')];
    const proved = await decide({ shownHash: hash(de), region: 'DE' });
    const { record, proof } = proved;
    const other = await server.createNotice({ content });
    const texts = [
      en,
      `${de} `,
      de.replace('Ihre Wahl', 'Ihre Qual'),
      await readShown('de', other),
      '',
      '{"data":null}',
      '\ud800',
    ];
    for (const shown of texts) await refuse({ ...proved, shown }, 'shown_mismatch');
    const changes = {
      language: 'en',
      shownHash: hash(en),
      region: 'FR',
      purposes: { ...allGranted, analytics: false },
    };
    for (const [field, value] of Object.entries(changes))
      await refuse({ ...proved, record: { ...record, [field]: value } as ConsentRecord }, 'hash_mismatch');
    const entry = { ...proof.entry, shownHash: hash(en), language: 'en' };
    await refuse({ ...proved, shown: en, proof: { ...proof, entry } }, 'hash_mismatch');
    const { entry: _, ...bare } = proof;
    await refuse({ ...proved, proof: bare }, 'proof_invalid');
    const another = await decide({ shownHash: hash(de) });
    await refuse({ ...proved, proof: another.proof }, 'proof_invalid');
    await refuse({ ...proved, publicKey: 'x' }, 'key_invalid');
  });

  test('are not proved for a record without the hash of what was shown', async () => {
    const shown = await readShown('en');
    const [event] = payload(await server.request('GET', '/v1/audit?limit=1'), 200).items;
    await requestCheckpoint(server, server.tenant, 'audit');
    const ofEvent = payload(await server.request('GET', `/v1/ledgers/audit/inclusion-proof?id=${event.id}`), 200);
    assert.equal(ofEvent.shown, null);
    for (const body of [{}, { shownHash: 'unverified', language: 'en' }]) {
      const proved = await decide(body);
      assert.equal(proved.proof.shown, null);
      await refuse({ ...proved, shown }, 'shown_missing');
      await refuse(
        { ...proved, record: { ...proved.record, ledgerHash: event.hash }, proof: ofEvent },
        'proof_invalid',
      );
    }
    const { id } = payload(await capture(server, notice));
    await refuse({ ...(await prove(id)), shown }, 'shown_missing');
  });

  test('stay proved after the subject was erased', async () => {
    const shownHash = hash(await readShown('de'));
    const { record } = await decide({ subjectId: 'to-be-erased', shownHash });
    const body = { reason: 'request' };
    payload(await server.request('POST', '/v1/consent/subjects/to-be-erased/erase', { body }), 200);
    const proved = await prove(record.id);
    assert.equal(proved.record.subjectId, null);
    assert.equal((await node.verifyShown(proved)).title, 'Ihre Wahl');
    await refuse({ ...proved, record: { ...proved.record, language: 'en' } as ConsentRecord }, 'hash_mismatch');
  });
});

describeOnEachDatabase('the words in an export', (dialect) => {
  let server: TestServer;
  let publicKey: string;
  let lines: readonly string[];
  let recordId: string;
  before(async () => {
    server = await startTestServer(dialect);
    publicKey = await fetchPublicKey(server);
    const notice = await server.createNotice({ content });
    const read = async (language: string) => {
      const path = `/v1/public/consent/${notice}?language=${language}`;
      return createHash('sha256')
        .update((await server.request('GET', path, { key: null })).text)
        .digest('hex');
    };
    const [en, de] = [await read('en'), await read('de')];
    const bodies = [
      { shownHash: en },
      {},
      { shownHash: en },
      { shownHash: de, region: 'GB' },
      { shownHash: 'unverified' },
    ];
    const ids: string[] = [];
    for (const body of bodies) ids.push(payload(await visit(server, notice, body)).id);
    recordId = ids[3] as string;
    await requestCheckpoint(server, server.tenant, 'consent');
    const { text } = await server.request('GET', '/v1/ledgers/consent/export');
    lines = text.trimEnd().split('\n');
  });
  after(() => server[Symbol.asyncDispose]());

  const write = (changed: readonly string[]) => `${changed.join('\n')}\n`;
  const fault = async (changed: readonly string[]) => {
    const error = await node.verifyExport(write(changed), { publicKey }).then(
      () => null,
      (one) => one,
    );
    assert.ok(node.LedgerVerificationError.isInstance(error), String(error));
    return error.code;
  };

  test('come once, before the first record that names them, and verify with it', async () => {
    const kinds = lines.slice(1).map((line) => (line.startsWith('{"shown":') ? 'text' : 'entry'));
    assert.deepEqual(kinds, ['text', 'entry', 'entry', 'entry', 'text', 'entry', 'entry']);
    for (const { verifyExport } of [node, browser]) {
      const { entries, shown, record } = await verifyExport(write(lines), { publicKey, recordId });
      assert.deepEqual([entries, shown], [5, 3]);
      assert.deepEqual(
        [record?.entry.id, record?.words?.title, record?.words?.language],
        [recordId, 'Ihre Wahl', 'de'],
      );
    }
    assert.equal((await node.verifyExport(write(lines), { publicKey })).record, null);
  });

  test('are missed and compared', async () => {
    const [header, en, first, second, third, de, fourth, fifth] = lines as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const rest = [second, third, de, fourth, fifth];
    assert.equal(await fault([header, first, ...rest]), 'shown_missing');
    assert.equal(await fault([header, first, en, ...rest]), 'shown_missing');
    assert.equal(await fault([header, de, first, ...rest]), 'entry_unexpected');
    assert.equal(await fault([header, en, en, first, ...rest]), 'entry_unexpected');
    assert.equal(await fault([header, en, first, second, en, third, de, fourth, fifth]), 'entry_unexpected');
    assert.equal(await fault([...lines, de.replace('Ihre', 'Eure')]), 'entry_unexpected');
    assert.equal(await fault([header, en.replace('Your choice', 'Your chance'), first, ...rest]), 'entry_unexpected');
    assert.equal(await fault([header, en.replace('{"shown":', '{"shown": '), first, ...rest]), 'line_malformed');
    assert.equal(await fault([header, '{"shown":null}', first, ...rest]), 'line_malformed');
    assert.equal(await fault([header, `${en.slice(0, -1)},"more":1}`, first, ...rest]), 'line_malformed');
  });

  test('are printed by svc export verify --record', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-words-'));
    try {
      const file = join(folder, 'consent.jsonl');
      writeFileSync(file, write(lines));
      const verify = (...words: readonly string[]) =>
        runSvc(['export', 'verify', '--file', file, '--key', publicKey, ...words], { SVC_DATA_DIR: '/nowhere' });
      const { code, stdout } = await verify('--record', recordId);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /✓ 3 records name what was shown to a visitor/);
      assert.match(stdout, /version 1 of the notice in de, in the region GB:\n {2}Ihre Wahl\n {2}Wir zählen/);
      assert.match(stdout, /- Statistik: granted \(object\)\n {4}Zählt Besuche\.\n {4}_count, Zähler GmbH, P13M\n/);
      const json = JSON.parse((await verify('--record', recordId, '--json')).stdout);
      assert.deepEqual([json.shown, json.words.title, json.words.language], [3, 'Ihre Wahl', 'de']);
      const unknown = await verify('--record', '01900000-0000-7000-8000-000000000000');
      assert.deepEqual([unknown.code, /does not contain the record/.test(unknown.stdout)], [3, true]);
      const { id } = JSON.parse(lines.at(-1) as string).entry;
      const unnamed = await verify('--record', id);
      assert.deepEqual([unnamed.code, /does not have the hash/.test(unnamed.stdout)], [3, true]);
      assert.equal((await verify('--record', 'x')).code, 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
