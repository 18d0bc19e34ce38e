/** What the exit code of `verify` and `export verify` says; every other command ends with 0, 1 or 2. */
export const exitCodes = {
  holds: 0,
  tampered: 1,
  usage: 2,
  unchecked: 3,
  unreadable: 4,
} as const;

/** The exit codes, for the help of the commands that verify. */
export const exitCodeHelp = `Exit codes:
  0  everything was checked and holds
  1  something was changed: it is not as it was written
  2  a wrong option or setting; nothing was checked
  3  something could not be checked (no secret or another one, a signature, a missing checkpoints.log)
  4  it could not be read at all`;

/** Something that verification found; the message names what cannot be trusted. */
export interface Finding {
  readonly kind: 'tampered' | 'unchecked' | 'unreadable';
  /** What it is about: `chain`, `head`, `checkpoint`, `anchor`, `trigger`, `secret`, … */
  readonly about: string;
  /** Null for what concerns the whole installation. */
  readonly tenantId: string | null;
  readonly message: string;
}

const marks = { tampered: '✗', unchecked: '?', unreadable: '✗' } as const;

/** Gathers what verification finds, and prints each as it is found. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(kind: Finding['kind'], about: string, message: string, tenantId: string | null = null): void {
    this.list.push({ kind, about, tenantId, message });
    this.#say(`${marks[kind]} ${message}`);
  }

  /** The gravest: what was changed counts before what could not be read or checked. */
  get exitCode(): number {
    const found = (kind: Finding['kind']) => this.list.some((finding) => finding.kind === kind);
    if (found('tampered')) return exitCodes.tampered;
    if (found('unreadable')) return exitCodes.unreadable;
    return found('unchecked') ? exitCodes.unchecked : exitCodes.holds;
  }
}
