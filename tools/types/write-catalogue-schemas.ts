// Writes the JSON Schemas by which editors check the files of the control catalogue: `npm run types`. A test compares them.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { ControlsFile, FrameworkFile } from '../../server/controls/catalogue/schema.ts';

const folder = new URL('../../server/controls/catalogue/', import.meta.url);

/** The generated files. */
export const catalogueSchemas = [
  { fileName: 'framework.schema.json', title: 'A framework of the control catalogue', schema: FrameworkFile },
  { fileName: 'controls.schema.json', title: 'The controls of one domain', schema: ControlsFile },
].map(({ fileName, title, schema }) => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { file: new URL(fileName, folder), text: `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n` };
});

if (import.meta.main) for (const { file, text } of catalogueSchemas) writeFileSync(file, text);
