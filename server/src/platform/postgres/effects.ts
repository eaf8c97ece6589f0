import { payloadOf } from './bus/payload.ts';
import { type Invalidation, invalidationsOf, type Statement, type Topic, topicsOf } from './statement.ts';

/**
 * What a transaction causes once it has committed: what its statements wake and invalidate, and what its caller has
 * asked for with `afterCommit`.
 */
export class Effects {
  readonly #topics = new Set<Topic>();
  /** By the payload of their notification, so that each is sent once. */
  readonly #invalidations = new Map<string, Invalidation>();
  readonly #afterCommit: (() => void)[] = [];

  /** What an execution of the statement that returned these rows causes. */
  add<Row>(statement: Statement<Row>, rows: readonly Row[]): void {
    for (const topic of topicsOf(statement, rows)) this.#topics.add(topic);
    for (const one of invalidationsOf(statement, rows)) this.#invalidations.set(payloadOf(one.cache, one.key), one);
  }

  afterCommit(effect: () => void): void {
    this.#afterCommit.push(effect);
  }

  /** The payloads that the transaction sends, so that every process drops what it has cached. */
  get notifications(): string[] {
    return [...this.#invalidations.keys()];
  }

  get topics(): readonly Topic[] {
    return [...this.#topics];
  }

  get invalidations(): readonly Invalidation[] {
    return [...this.#invalidations.values()];
  }

  runAfterCommit(): void {
    for (const effect of this.#afterCommit) effect();
  }
}
