import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, provideBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import type { EmbeddedConnection, EmbeddedPostgres, EmbeddedPostgresOptions, Log } from './contract.ts';
import { namesOf } from './contract.ts';
import { closeDataFolder, type DataFolder, explainFailure, makeRoot, openDataFolder } from './data-folder.ts';
import { ensureDatabase } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { clearLeftovers, findOrphan } from './leftovers.ts';
import { attach, type CommandLine, launch, type Postmaster, runsWith, shutDown, untilReady } from './postmaster.ts';
import { signal } from './process-table.ts';
import { reserveWalLater } from './reserve-wal.ts';
import { postmasterArguments } from './settings.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A postmaster that ran this long is restarted at once; one that keeps dying is restarted with pauses. */
const wellAfterMs = 1_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;

/**
 * Starts PostgreSQL on a data folder, or attaches to the one that a killed process left running there, and keeps it
 * running until `stop`. Resolves when it accepts sessions.
 *
 * @throws EmbeddedPostgresError with one plain line: the folder is in use, cannot be used, is damaged, belongs to
 *   another account or holds data of another version; the binaries are missing or PostgreSQL does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const root = makeRoot(options.dataDir);
  try {
    const lock = await lockFolder(root);
    try {
      const folder = openDataFolder(root);
      const supervisor = new Supervisor(folder, provideBinaries(root, folder.account), options, lock.release);
      await supervisor.start();
      return supervisor;
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explainFailure(root, error);
  }
}

class Supervisor implements EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  readonly #folder: DataFolder;
  readonly #binaries: Binaries;
  readonly #options: EmbeddedPostgresOptions;
  readonly #commandLine: CommandLine;
  readonly #log: Log;
  readonly #unlock: () => void;
  readonly #stopping = new AbortController();
  #postmaster: Postmaster | undefined;
  #watch: Promise<void> = Promise.resolve();
  #walReserved: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(folder: DataFolder, binaries: Binaries, options: EmbeddedPostgresOptions, unlock: () => void) {
    const { superuser, database, port } = namesOf(options);
    this.connection = { host: folder.socket.folder, port, database, user: superuser };
    this.#folder = folder;
    this.#binaries = binaries;
    this.#options = options;
    const words = postmasterArguments(folder, binaries.version, options.settings ?? {}, { ...options, port });
    this.#commandLine = { program: binaries.postgres, words };
    this.#log = options.log ?? silent;
    this.#unlock = unlock;
  }

  async start(): Promise<void> {
    try {
      await ensureCluster(this.#folder, this.#binaries, this.#log, {
        ...this.#options,
        superuser: this.connection.user,
      });
      const postmaster = await this.#bringUp();
      await ensureDatabase(this.connection, {
        logFile: this.#folder.logFile,
        setUp: async (session) => this.#options.setUp?.(session),
      });
      this.#watch = this.#keepRunning(postmaster);
      process.once('exit', this.#onExit);
      if (!this.#options.isDisposable) this.#walReserved = this.#reserveWal();
    } catch (error) {
      if (this.#postmaster && !this.#postmaster.hasEnded()) await shutDown(this.#postmaster, this.#log);
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** If this process ends without `stop`, by a defect, it requests a fast shutdown without waiting for it. */
  readonly #onExit = (): void => {
    if (this.#postmaster && !this.#postmaster.hasEnded()) signal(this.#postmaster.pid, 'SIGINT');
  };

  async #stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#postmaster && !this.#postmaster.hasEnded()) await shutDown(this.#postmaster, this.#log);
    await Promise.all([this.#watch, this.#walReserved]);
    process.off('exit', this.#onExit);
    closeDataFolder(this.#folder);
    this.#unlock();
  }

  #reserveWal(): Promise<void> {
    const options = { cluster: this.#folder.cluster, log: this.#log, signal: this.#stopping.signal };
    return reserveWalLater(this.connection, options);
  }

  /** Returns a postmaster that accepts sessions: the running one, if it has the same command line, else a new one. */
  async #bringUp(): Promise<Postmaster> {
    const begun = performance.now();
    const attached = await this.#attachOrphan();
    const postmaster = attached ?? (await this.#launch());
    const elapsedMs = Math.round(performance.now() - begun);
    this.#log.info({ pid: postmaster.pid, attached: attached !== undefined, elapsedMs }, 'PostgreSQL is ready');
    return postmaster;
  }

  async #attachOrphan(): Promise<Postmaster | undefined> {
    const orphan = findOrphan(this.#folder);
    if (!orphan) return undefined;
    const postmaster = attach(this.#folder, orphan);
    this.#postmaster = postmaster;
    if (!runsWith(this.#folder, this.#commandLine)) {
      this.#log.info({ pid: orphan.pid }, 'ending a PostgreSQL that was started with other settings');
      await shutDown(postmaster, this.#log);
      return undefined;
    }
    try {
      await untilReady(this.#folder, postmaster, this.#log);
      return postmaster;
    } catch {
      // It was already stopping.
      return undefined;
    }
  }

  async #launch(): Promise<Postmaster> {
    await clearLeftovers(this.#folder, this.#log);
    const postmaster = await launch(this.#folder, this.#commandLine);
    this.#postmaster = postmaster;
    // An earlier stop could not have stopped this postmaster.
    if (this.#stopping.signal.aborted) await shutDown(postmaster, this.#log);
    await untilReady(this.#folder, postmaster, this.#log);
    return postmaster;
  }

  async #keepRunning(first: Postmaster): Promise<void> {
    let postmaster: Postmaster | undefined = first;
    let failures = 0;
    while (postmaster) {
      const begun = performance.now();
      const ending = await postmaster.ended;
      if (this.#stopping.signal.aborted) return;
      const { logFile } = this.#folder;
      this.#log.error({ pid: postmaster.pid, ending, logFile }, 'PostgreSQL ended unasked; starting it again');
      failures = performance.now() - begun > wellAfterMs ? 0 : failures + 1;
      postmaster = await this.#restart(failures);
    }
  }

  /** Retries until it succeeds or `stop` is called. */
  async #restart(failures: number): Promise<Postmaster | undefined> {
    for (let attempt = failures; ; attempt += 1) {
      const pauseMs = attempt === 0 ? 0 : Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);
      if (pauseMs > 0) this.#log.warn({ pauseMs }, 'waiting before PostgreSQL is started again');
      try {
        await sleep(pauseMs, undefined, { signal: this.#stopping.signal });
        return await this.#bringUp();
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined;
        this.#log.error({ err: error }, 'PostgreSQL could not be started again');
      }
    }
  }
}
