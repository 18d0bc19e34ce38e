// Writes operation-types.ts anew, after the operations of the server have changed: run it with node.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, writeTypes } from './write-types.ts';

const document = join(import.meta.dirname, '../../../../server/openapi.json');
const types = writeTypes(JSON.parse(readFileSync(document, 'utf8')) as ApiDocument);
writeFileSync(join(import.meta.dirname, 'operation-types.ts'), types);
