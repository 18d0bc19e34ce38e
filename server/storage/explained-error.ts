/** An error whose message says what is wrong and what to do: a command prints it without a stack. */
export class ExplainedError extends Error {
  /** The exit code of a command: 1 for a failure, 2 for arguments, settings or a state that rule the command out. */
  get exitCode(): 1 | 2 {
    return 1;
  }
}
