/** The clock of a test server. It goes with the machine's until a test sets it; then it stands where it was set. */
export class TestClock {
  #time: number | null = null;

  /** The time: RFC 3339, UTC, milliseconds. */
  now(): string {
    return new Date(this.milliseconds()).toISOString();
  }

  milliseconds(): number {
    return this.#time ?? Date.now();
  }

  /** Sets the time; null lets the clock go with the machine's again. */
  set(time: string | number | Date | null): void {
    const milliseconds = time === null ? null : new Date(time).getTime();
    if (Number.isNaN(milliseconds)) throw new TypeError(`${String(time)} is no time`);
    this.#time = milliseconds;
  }

  /** Moves the time on by so many milliseconds, and stops it there. */
  advance(milliseconds: number): void {
    this.#time = this.milliseconds() + milliseconds;
  }
}
