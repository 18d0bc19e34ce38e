import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Ticks of /proc in a second; null where the system has no /proc. */
const ticksPerSecond = process.platform === 'linux' ? Number(execFileSync('getconf', ['CLK_TCK'])) : null;
const every = 500;

/**
 * Adds up the processor time of parts of a run, each of one process after another and their children. The last half second of
 * a process that is killed is not counted.
 */
export class ProcessorTime implements Disposable {
  readonly #parts: Readonly<Record<string, () => number | null>>;
  /** By part and process. */
  readonly #seconds = new Map<string, Map<number, number>>();
  /** What the parts had used before. */
  readonly #first: ReadonlyMap<string, number>;
  readonly #before = process.cpuUsage();
  readonly #sampling: NodeJS.Timeout;

  /** @param parts return the id of the process of each at the moment; null for none. */
  constructor(parts: Readonly<Record<string, () => number | null>>) {
    this.#parts = parts;
    this.#sample();
    this.#first = new Map([...this.#seconds].map(([name, seconds]) => [name, sum(seconds)]));
    this.#sampling = setInterval(() => this.#sample(), every);
  }

  /** Seconds of each part since the start, and of this process; null where the system has no /proc. */
  read(): Readonly<Record<string, number>> | null {
    if (ticksPerSecond === null) return null;
    this.#sample();
    const { user, system } = process.cpuUsage(this.#before);
    return {
      ...Object.fromEntries(
        [...this.#seconds].map(([name, seconds]) => [name, sum(seconds) - (this.#first.get(name) ?? 0)]),
      ),
      'the load and the receivers': (user + system) / 1e6,
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sampling);
  }

  #sample(): void {
    if (ticksPerSecond === null) return;
    for (const [name, findPid] of Object.entries(this.#parts)) {
      const pid = findPid();
      const seconds = pid === null ? null : readSeconds(pid, ticksPerSecond);
      if (pid === null || seconds === null) continue;
      const ofPart = this.#seconds.get(name) ?? new Map<number, number>();
      this.#seconds.set(name, ofPart.set(pid, seconds));
    }
  }
}

function sum(seconds: ReadonlyMap<number, number>): number {
  return [...seconds.values()].reduce((total, one) => total + one, 0);
}

/** The time of a process, of its children that ended, and of those that run; null if there is none (proc_pid_stat(5)). */
function readSeconds(pid: number, perSecond: number): number | null {
  const ofProcess = readTicks(pid, 4);
  if (ofProcess === null) return null;
  const children = readText(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean) ?? [];
  const ofChildren = children.map((child) => readTicks(Number(child), 2) ?? 0);
  return ofChildren.reduce((total, one) => total + one, ofProcess) / perSecond;
}

/** @param count 2 for the process itself, 4 also for its children that ended. */
function readTicks(pid: number, count: 2 | 4): number | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name of the program, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 11 + count).reduce((total, field) => total + Number(field), 0);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return null;
  }
}
