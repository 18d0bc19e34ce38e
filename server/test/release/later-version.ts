import { cpSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const left = ['server/node_modules', 'server/dist', 'server/test'];

/**
 * Copies the server and gives the copy one more migration, as the next version would have it.
 * @param expands whether servers of this version can run beside it.
 * @returns the copy's `svc.js`, and the name of the migration.
 */
export function makeLaterVersion(expands: boolean) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'svc-later-'));
  const filter = (source: string) => !left.includes(relative(root, source));
  cpSync(join(root, 'server'), join(folder.path, 'server'), { recursive: true, filter });
  for (const name of ['node_modules', 'packages', 'docs-site', 'tools', 'package.json', 'server/node_modules'])
    symlinkSync(join(root, name), join(folder.path, name));
  const migration = '007-later';
  const storage = join(folder.path, 'server/storage');
  writeFileSync(
    join(storage, `migrations/${migration}.ts`),
    `export const later = { ${expands ? 'expands: true as const, ' : ''}sql: \`
create table later_notes (
  tenant_id text not null references tenants (id),
  id text not null,
  primary key (tenant_id, id)
);
alter table consent_notices add column later_note text;
\` };\n`,
  );
  const file = join(storage, 'schema.ts');
  const schema = readFileSync(file, 'utf8')
    .replace(/^/, `import { later } from './migrations/${migration}.ts';\n`)
    .replace(/^( +)'006-webhooks': webhooks,\n/m, `$&$1'${migration}': later,\n`);
  if (!schema.includes(`'${migration}': later`)) throw new Error('schema.ts lists its migrations in another way');
  writeFileSync(file, schema);
  return { svc: join(folder.path, 'server/cli/svc.js'), migration, [Symbol.dispose]: () => folder.remove() };
}
