// npm run openapi: writes the document that is checked in beside this file; a test fails when it is not current.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { deriveSecrets } from './access/secret.ts';
import { writeApiDocument } from './api-document.ts';
import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import { AnchorLog } from './ledger/anchor-log.ts';
import { readSettings } from './settings.ts';
import { openDatabase } from './storage/database.ts';

await using database = openDatabase({ url: null, file: ':memory:' });
const secrets = deriveSecrets('');
const installation = {
  settings: readSettings({}),
  clock: systemClock,
  database,
  anchors: new AnchorLog('', secrets.signer.verifier),
  ...secrets,
  [Symbol.asyncDispose]: () => database.close(),
};
const { routes } = createApp(installation, { log: pino({ level: 'silent' }) });
writeFileSync(join(import.meta.dirname, 'openapi.json'), writeApiDocument(routes));
