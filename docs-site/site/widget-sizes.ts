import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { html } from './markup.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import { writeTable } from './table.ts';
import { findWidget } from './widget-parts.ts';

/** Writes what each script of a widget weighs, as it was built and as it travels. */
export function writeSizes(name: string, place: PartialPlace): PartialResult {
  const { files, folder } = findWidget(name, place);
  const scripts = files.filter((file) => file.endsWith('.js')).sort((one, other) => one.length - other.length);
  const rows = scripts.map((file) => {
    const bytes = readFileSync(join(folder, file));
    return [
      html`<code>${file}</code>`,
      html`${writeSize(brotliCompressSync(bytes).length)}`,
      html`${writeSize(bytes.length)}`,
    ];
  });
  return { content: writeTable(`Sizes of the scripts of ${name}`, ['Script', 'With brotli', 'As it is'], rows) };
}

function writeSize(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
