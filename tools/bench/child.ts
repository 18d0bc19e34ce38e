import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process that answers questions one after the other. */
export interface Child extends AsyncDisposable {
  /** @throws when the child fails or ends. */
  ask<Answer>(question: unknown): Promise<Answer>;
}

/** How a child starts. */
interface ChildOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
}

/** Starts `children/<name>.ts`. Children end with the process that asked for them, whatever becomes of it. */
export function startChild(name: string, { environment = {}, nodeOptions = [] }: ChildOptions = {}): Child {
  const child = fork(fileURLToPath(new URL(`children/${name}.ts`, import.meta.url)), {
    // Settings of the person who measures must not change what is measured.
    env: { PATH: process.env.PATH, ...environment },
    execArgv: [...nodeOptions],
  });
  return {
    ask: (question) => ask(child, name, question),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function ask<Answer>(child: ChildProcess, name: string, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      child.off('message', take);
      child.off('exit', fail);
    };
    const take = (answer: unknown) => {
      finish();
      const failed = answer !== null && typeof answer === 'object' && 'failure' in answer;
      if (failed) reject(new Error(`${name}: ${answer.failure}`));
      else resolve(answer as Answer);
    };
    const fail = () => {
      finish();
      reject(new Error(`${name} ended before it answered`));
    };
    child.on('message', take);
    child.on('exit', fail);
    child.send(question as object);
  });
}
