import type pg from 'pg';
import { failureOf, refusalOfFailure } from './connection/failures.ts';
import { type CopiedRows, copyOut } from './copy-out.ts';
import type { Statement } from './statement.ts';

export interface SessionOptions {
  /** Sends a statement over the connection. */
  answer: (query: string | pg.QueryConfig) => Promise<pg.QueryResult>;
  queryOf: (statement: Statement<unknown>, values?: readonly unknown[]) => pg.QueryConfig;
}

/** A connection while one transaction uses it. Failures of the database are thrown as refusals. */
export class Session {
  readonly #client: pg.PoolClient;
  readonly #options: SessionOptions;
  #broken: Error | undefined;

  constructor(client: pg.PoolClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    client.on('error', this.#onBroken);
  }

  async run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.query(this.#options.queryOf(statement, values))).rows as Row[];
  }

  async query(query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#options.answer(query);
    } catch (error) {
      if (failureOf(error) === 'away') this.#broken ??= error as Error;
      throw refusalOfFailure(error) ?? error;
    }
  }

  /** The rows of `copy … to stdout`. */
  async *copyOut(text: string): AsyncGenerator<CopiedRows, void> {
    try {
      yield* copyOut(this.#client, text);
    } catch (error) {
      if (failureOf(error) === 'away') this.#broken ??= error as Error;
      throw refusalOfFailure(error) ?? error;
    }
  }

  async commit(): Promise<void> {
    const { command } = await this.query('commit');
    // COMMIT of an aborted transaction "succeeds" with the tag ROLLBACK: nothing was written, so nothing is
    // acknowledged.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back at commit.');
  }

  async rollBack(): Promise<void> {
    // On a broken connection a rollback would wait behind the unanswered statement.
    if (this.#broken !== undefined) return;
    await this.#options.answer('rollback').catch((error: Error) => {
      this.#broken = error;
    });
  }

  release(): void {
    this.#client.release(this.#broken);
    this.#client.off('error', this.#onBroken);
  }

  /** A connection may break between two statements: an unhandled error event would end the process. */
  readonly #onBroken = (error: Error): void => {
    this.#broken = error;
  };
}
