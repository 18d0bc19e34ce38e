// node server/controls/catalogue/write-schemas.ts: writes the JSON Schemas that are checked in beside this file; a test
// fails when they are not current.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeJsonSchemas } from './schema.ts';

for (const { fileName, text } of writeJsonSchemas()) writeFileSync(join(import.meta.dirname, fileName), text);
