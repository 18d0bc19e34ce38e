/**
 * Answers the messages of the parent process, and exits with it.
 * @param close what is to be done before the end.
 */
export function answerQuestions<Question>(
  answer: (question: Question) => unknown,
  close: () => Promise<void> = async () => undefined,
): void {
  const reply = async (question: Question) => {
    try {
      process.send?.(await answer(question));
    } catch (error) {
      process.send?.({ failure: String(error) });
    }
  };
  process.on('message', (question: Question) => void reply(question));
  process.on('disconnect', () => void close().finally(() => process.exit()));
}

/** Microseconds of processor time that this process has used, all threads and the kernel's work for it. */
export function usedCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
