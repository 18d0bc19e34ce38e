import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCodeBlock } from './code-block.ts';
import type { Markup } from './markup.ts';
import { Mistake } from './mistake.ts';

const folder = join(import.meta.dirname, '../../server/deploy');

/**
 * Writes a file that releases contain.
 * @param argument its name in `server/deploy`, and its path on the machine of the reader.
 */
export function writeDeployFile(argument: string, page: string): Markup {
  const [name = '', title] = argument.split(' ');
  const language = languages[name.replace(/^.*\./, '')];
  const file = join(folder, name);
  if (language === undefined || title === undefined || !existsSync(file))
    throw new Mistake(page, `there is no {{ deploy-file ${argument} }}`);
  return writeCodeBlock({ language, title, code: readFileSync(file, 'utf8') });
}

const languages: Readonly<Record<string, string>> = {
  service: 'systemd',
  env: 'ini',
  yaml: 'yaml',
  Caddyfile: 'caddy',
};
