// npm run openapi: writes the document that is checked in as server/openapi.json; a test fails when it is not current.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../server/cli/server/app.ts';
import { deriveSecrets } from '../../server/installation/installation.ts';
import { AnchorLog } from '../../server/ledger/anchor-log.ts';
import { ErasureLog } from '../../server/ledger/erasure-log.ts';
import { readSettings } from '../../server/settings.ts';
import { writeApiDocument } from '../../server/site/documentation/api-document.ts';
import { systemClock } from '../../server/storage/clock.ts';
import { openDatabase } from '../../server/storage/database.ts';

await using database = openDatabase({ url: null, file: ':memory:' });
const secrets = deriveSecrets('');
const installation = {
  settings: readSettings({}),
  clock: systemClock,
  database,
  anchors: new AnchorLog('', secrets.signer.verifier),
  erasures: new ErasureLog('', secrets.seal),
  migrations: [],
  former: [],
  ...secrets,
  [Symbol.asyncDispose]: () => database.close(),
};
const { routes } = createApp(installation, { log: pino({ level: 'silent' }) });
writeFileSync(join(import.meta.dirname, '../../server/openapi.json'), writeApiDocument(routes));
