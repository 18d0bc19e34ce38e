/** An error whose message says what is wrong and what to do: a command prints it without a stack. */
export class ExplainedError extends Error {
  /** The exit code of the command: 1 it failed, 2 its words, its settings or the state of the installation do not allow it. */
  get exitCode(): 1 | 2 {
    return 1;
  }
}
