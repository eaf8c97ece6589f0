import { type ChildProcess as Forked, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SharedEntry } from '../../platform/process/other-processes.ts';
import { childEntry } from './entry.ts';
import type { About, MessageToChild, MessageToParent } from './messages.ts';
import { Questions } from './questions.ts';

export interface ChildProcessOptions {
  /** Called when it is ready to serve requests, and waits for `listen`. */
  onPrepared: () => void;
  onListening: () => void;
  onShared: (entries: SharedEntry[]) => void;
  answer: (question: About) => Promise<string>;
}

/** The first process's end of the link to one of its children. */
export class ChildProcess {
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<string>;
  readonly #forked: Forked;
  readonly #questions = new Questions();
  #openQuestions = 0;

  constructor({ onPrepared, onListening, onShared, answer }: ChildProcessOptions) {
    this.#forked = fork(fileURLToPath(childEntry), [], {
      // The environment and the options of this process, such as the size of its heap, but not the port of its
      // debugger.
      execArgv: process.execArgv.filter((option) => !option.startsWith('--inspect')),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#forked.on('message', (message: MessageToParent) => {
      switch (message.type) {
        case 'prepared':
          return onPrepared();
        case 'listening':
          return onListening();
        case 'shared':
          return onShared(message.entries);
        case 'answer':
          return this.#questions.answered(message);
        case 'question': {
          const reply = (text: string) => this.send({ type: 'answer', id: message.id, text });
          answer(message).then(reply, () => reply(''));
        }
      }
    });
    this.ended = new Promise((resolve) => {
      this.#forked.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#forked.on('error', (error) => {
        if (this.#forked.pid === undefined) resolve(error.message);
      });
    });
    this.ended.then(() => this.#questions.drop()).catch(() => {});
  }

  get pid(): number | undefined {
    return this.#forked.pid;
  }

  get openQuestions(): number {
    return this.#openQuestions;
  }

  /** Messages to a process that is ending are dropped. */
  send(message: MessageToChild): void {
    if (this.#forked.connected) this.#forked.send(message, () => {});
  }

  /** Resolves with undefined when it does not answer in time, or ends. */
  async ask(about: 'own_metrics' | 'alive', timeoutMs: number): Promise<string | undefined> {
    this.#openQuestions++;
    try {
      return await this.#questions.ask({ about }, timeoutMs, (question) => this.send(question));
    } finally {
      this.#openQuestions--;
    }
  }

  kill(): void {
    this.#forked.kill('SIGKILL');
  }
}
