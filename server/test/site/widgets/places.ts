import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WidgetPlaces } from '../../../site/widgets/widget.ts';

/** Empty folders for widgets, which are deleted when disposed. */
export function createPlaces(): WidgetPlaces & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'svc-widgets-'));
  return {
    releases: join(folder, 'releases'),
    packages: join(folder, 'packages'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

export function hashFile(content: string | Buffer): string {
  return `sha384-${hash('sha384', content, 'base64')}`;
}

/** Writes a build: files, of which the first is the script of the tag, and their manifest. */
export function writeBuild(folder: string, version: string, contents: Readonly<Record<string, string>>): void {
  const files = Object.entries(contents).map(([file, content]) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
    return { file, bytes: Buffer.byteLength(content), integrity: hashFile(content) };
  });
  writeFileSync(join(folder, 'integrity.json'), JSON.stringify({ ...files[0], version, files }));
}
