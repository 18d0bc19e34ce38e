import { createWriteStream, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream, ReadableWritablePair } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import type { ParsedTarEntry } from 'modern-tar';
import { databaseFile, secretFile } from '../../installation/installation.ts';
import { explainFile } from '../../installation/system-failure.ts';
import { anchorFile } from '../../ledger/anchor-log.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { fingerprintFile } from './snapshot.ts';
import { BackupFailed } from './target.ts';

/** Archives are gzip-compressed tar files, encrypted with age (C2SP age): `age -d -i key.txt <archive> | tar xz` opens one. */
const knownFiles: ReadonlySet<string> = new Set([
  databaseFile(''),
  secretFile,
  anchorFile,
  erasureFile,
  fingerprintFile,
]);

/** Packs the files of a snapshot, in constant memory. */
export async function packArchive(folder: string, recipients: readonly string[]): Promise<Readable> {
  const { packTar } = await import('modern-tar/fs');
  const names = (await readdir(folder)).filter((name) => knownFiles.has(name)).sort();
  const owner = { uid: 0, gid: 0, mode: 0o600 };
  const sources = names.map((target) => ({ type: 'file' as const, source: join(folder, target), target, ...owner }));
  return encrypt(connect(packTar(sources), createGzip()), recipients);
}

/** Compresses and encrypts a single file. */
export function packFile(content: Readable, recipients: readonly string[]): Promise<Readable> {
  return encrypt(connect(content, createGzip()), recipients);
}

/** Connects two streams so that a failure of one is that of the other. */
function connect<Stream extends NodeJS.ReadWriteStream & Readable>(from: Readable, to: Stream): Stream {
  pipeline(from, to).catch(() => undefined);
  return to;
}

async function encrypt(plain: Readable, recipients: readonly string[]): Promise<Readable> {
  if (recipients.length === 0) return plain;
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const encrypted = await encrypter.encrypt(Readable.toWeb(plain) as Parameters<typeof encrypter.encrypt>[0]);
  return Readable.fromWeb(encrypted as unknown as ReadableStream);
}

/** A file of the target, and what opens it. */
export interface Opening {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** The file with the private keys of age; null for none. */
  readonly identityFile: string | null;
}

/**
 * Unpacks an archive into an empty folder.
 * @throws {BackupFailed} if it is not whole and unchanged, another age key is needed, or it is no backup of Svc.
 */
export async function unpackArchive(content: Readable, opening: Opening, to: string): Promise<void> {
  const { createTarDecoder } = await import('modern-tar');
  const foreign = new BackupFailed(`${opening.name} is no backup of Svc.`);
  await unpack(content, opening, async (plain) => {
    // The library has the types of the DOM.
    const decoder = createTarDecoder({ strict: true }) as unknown as ReadableWritablePair<ParsedTarEntry>;
    for await (const { header, body } of Readable.toWeb(plain).pipeThrough(decoder)) {
      if (header.type !== 'file' || !knownFiles.has(header.name)) throw foreign;
      const file = createWriteStream(join(to, header.name), { flags: 'wx', mode: 0o600 });
      await pipeline(Readable.fromWeb(body as ReadableStream), file);
    }
  });
  if (!(await readdir(to)).includes(anchorFile)) throw foreign;
}

/** Unpacks a single file. @throws {BackupFailed} as `unpackArchive` */
export async function unpackFile(content: Readable, opening: Opening, to: string): Promise<void> {
  await unpack(content, opening, (plain) => pipeline(plain, createWriteStream(to, { mode: 0o600 })));
}

/** @param write settles once it writes nothing more, so that the caller can remove the files. */
async function unpack(content: Readable, opening: Opening, write: (plain: Readable) => Promise<void>): Promise<void> {
  let cause: Error | null = null;
  content.on('error', (error) => {
    cause = error;
  });
  // The pipeline destroys what it reads with its own errors; those of the content are of the disk or the network.
  const source = Readable.from(content, { objectMode: false });
  try {
    const plain = createGunzip();
    const reading = pipeline(await decrypt(source, opening), plain);
    const writing = write(plain).catch((error: Error) => {
      plain.destroy(error);
      throw error;
    });
    for (const outcome of await Promise.allSettled([reading, writing]))
      if (outcome.status === 'rejected') throw outcome.reason;
  } catch (error) {
    content.destroy();
    if (cause !== null && explainFile(cause) === undefined)
      throw new BackupFailed(`The connection to the target broke off while ${opening.name} was read: try again.`);
    // The disk failed or a key is missing: the contents may be whole.
    if (error instanceof BackupFailed || explainFile(error) !== undefined) throw error;
    throw new BackupFailed(`${opening.name} is damaged or incomplete: take another backup.`);
  }
}

async function decrypt(content: Readable, { name, isEncrypted, identityFile }: Opening): Promise<Readable> {
  if (!isEncrypted) return content;
  if (identityFile === null)
    throw new BackupFailed(`${name} is encrypted: name the file with your age key with --age-identity.`);
  const identities = readIdentities(identityFile);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    const plain = await decrypter.decrypt(Readable.toWeb(content) as Parameters<typeof decrypter.decrypt>[0]);
    return Readable.fromWeb(plain as unknown as ReadableStream);
  } catch (error) {
    if (!/no identity matched/.test((error as Error).message)) throw error;
    throw new BackupFailed(`The age key in ${identityFile} is none of those that ${name} was encrypted to.`);
  }
}

/** Reads the private keys of a file that `age-keygen` made. */
function readIdentities(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new BackupFailed(`The age key ${file} cannot be read: ${explainFile(error) ?? (error as Error).message}.`);
  }
  const identities = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (identities.length > 0 && identities.every(isIdentity)) return identities;
  throw new BackupFailed(`${file} has no age key: lines such as AGE-SECRET-KEY-1…, which age-keygen writes.`);
}

function isIdentity(text: string): boolean {
  return /^AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{20,20000}$/.test(text);
}
