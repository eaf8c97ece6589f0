import { once } from 'node:events';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { OtherProcesses } from '../../platform/process/other-processes.ts';
import { mergedMetrics } from './merged-metrics.ts';
import type { About, Assignment, MessageToChild, MessageToParent } from './messages.ts';
import type { ProcessGroup } from './process-group.ts';
import { Questions } from './questions.ts';

/** Longer than the first process waits for the metrics of each. */
const metricsWithinMs = 3_000;

/** A child's end of the link to the first process. */
export class ParentLink implements ProcessGroup {
  readonly otherProcesses = new OtherProcesses();
  readonly assigned: Promise<Assignment>;
  /** Aborted when the first process asks this one to stop. */
  readonly stopping = new AbortController();
  readonly #questions = new Questions();
  readonly #listen = new AbortController();
  #metrics: Metrics | undefined;
  #number = 0;

  constructor() {
    // Without the first process there is nobody to coordinate with, and its successor needs the port.
    process.on('disconnect', () => process.exit(1));
    this.otherProcesses.sendBy((entries) => this.#send({ type: 'shared', entries }));
    // Without a limit of time: what the first process has granted must not be lost. Its end is that of this process.
    this.otherProcesses.askBy(
      async (name, text) => (await this.#ask({ about: 'request', name, text }, undefined)) ?? '',
    );
    this.assigned = new Promise((resolve) => {
      process.on('message', (message: MessageToChild) => {
        switch (message.type) {
          case 'assignment':
            this.#number = message.assignment.number;
            return resolve(message.assignment);
          case 'listen':
            return this.#listen.abort();
          case 'stop':
            return this.stopping.abort();
          case 'shared':
            return this.otherProcesses.receive(message.entries);
          case 'answer':
            return this.#questions.answered(message);
          case 'question': {
            const reply = (text: string) => this.#send({ type: 'answer', id: message.id, text });
            this.#answer(message.about).then(reply, () => reply(''));
          }
        }
      });
    });
  }

  get number(): number {
    return this.#number;
  }

  attach(metrics: Metrics): void {
    this.#metrics = metrics;
  }

  async metricsOfAll(): Promise<string> {
    const all = await this.#ask({ about: 'all_metrics' }, metricsWithinMs);
    return all ?? mergedMetrics([{ process: this.number, text: await this.#ownMetrics() }]);
  }

  /** Reports that this process could serve requests, and waits until it may. */
  async mayListen(): Promise<void> {
    const { signal } = this.#listen;
    this.#send({ type: 'prepared' });
    if (!signal.aborted) await once(signal, 'abort');
  }

  listens(): void {
    this.#send({ type: 'listening' });
  }

  #ask(about: About, timeoutMs: number | undefined): Promise<string | undefined> {
    return this.#questions.ask(about, timeoutMs, (question) => this.#send(question));
  }

  async #answer(about: About['about']): Promise<string> {
    return about === 'own_metrics' ? this.#ownMetrics() : '';
  }

  async #ownMetrics(): Promise<string> {
    return (await this.#metrics?.text()) ?? '';
  }

  #send(message: MessageToParent): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }
}
