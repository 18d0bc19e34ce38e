import { existsSync, readFileSync, statSync } from 'node:fs';
import { UsageError } from './command.ts';

/** The exit codes of `verify` and `export verify`; every other command exits with 0, 1 or 2. */
export const exitCodes = {
  holds: 0,
  tampered: 1,
  usage: 2,
  unchecked: 3,
  unreadable: 4,
} as const;

/** The exit codes, for the help of the commands that verify. */
export const exitCodeHelp = `Exit codes:
  0  everything was checked and is intact
  1  something was changed
  2  an invalid option or setting; nothing was checked
  3  something could not be checked (a missing or wrong secret, a signature, a missing checkpoints.log)
  4  it could not be read`;

/** A result of verification; the message names what cannot be trusted. */
export interface Finding {
  readonly kind: 'tampered' | 'unchecked' | 'unreadable';
  /** Its subject: `chain`, `head`, `checkpoint`, `anchor`, `trigger`, `secret`, … */
  readonly about: string;
  /** Null for the whole installation. */
  readonly tenantId: string | null;
  readonly message: string;
}

/** Collects the findings of verification, and prints each at once. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(kind: Finding['kind'], about: string, message: string, tenantId: string | null = null): void {
    this.list.push({ kind, about, tenantId, message });
    this.#say(`${kind === 'unchecked' ? '?' : '✗'} ${message}`);
  }

  /** That of the most severe finding: changes first, then what could not be read, then what could not be checked. */
  get exitCode(): number {
    const worst = (['tampered', 'unreadable', 'unchecked'] as const).find((kind) =>
      this.list.some((finding) => finding.kind === kind),
    );
    return exitCodes[worst ?? 'holds'];
  }

  /** The findings as --json reports them. */
  report() {
    const { exitCode, list } = this;
    return { intact: exitCode === exitCodes.holds, exitCode, findings: list };
  }
}

/** Whether a path names a file. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/**
 * Reads the signed note of a checkpoint that the caller kept: the note itself, or a response of the API that contains it.
 * @throws {UsageError}
 */
export function readNote(file: string): string {
  if (!isFile(file)) throw new UsageError(`--checkpoint: there is no file ${file}.`);
  // Mail programs and editors add byte order marks, white space and CRLF; the signature covers none of them.
  const text = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim();
  if (!text.startsWith('{')) return `${text}\n`;
  try {
    const answer = JSON.parse(text);
    const { note } = answer.data ?? answer;
    if (typeof note === 'string') return note;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--checkpoint: ${file} contains no checkpoint.`);
}
