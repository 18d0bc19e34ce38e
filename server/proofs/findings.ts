/** The exit codes of `verify` and `export verify`; every other command exits with 0, 1 or 2. */
export const exitCodes = {
  holds: 0,
  tampered: 1,
  usage: 2,
  unchecked: 3,
  unreadable: 4,
} as const;

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
