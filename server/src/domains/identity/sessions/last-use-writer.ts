type WriteUses<Id> = (ids: Id[], times: Date[], addresses: string[]) => Promise<unknown>;

/**
 * Writes when and from where keys or sessions were last used, without delaying the requests that used them. Uses recorded
 * during a write go into the next one. A failed write is not repeated: the next use after a minute is recorded again.
 */
export class LastUseWriter<Id extends number | string> {
  readonly #write: WriteUses<Id>;
  readonly #onError: (error: unknown) => void;
  #pending = new Map<Id, { at: Date; address: string }>();
  #writing: Promise<void> | undefined;

  constructor(write: WriteUses<Id>, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  record(id: Id, atMs: number, address: string): void {
    this.#pending.set(id, { at: new Date(atMs), address });
    this.#writing ??= this.#writePending();
  }

  /** Resolves when every recorded use has been written or its write has failed. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#pending;
      this.#pending = new Map();
      const uses = [...batch.values()];
      try {
        await this.#write(
          [...batch.keys()],
          uses.map(({ at }) => at),
          uses.map(({ address }) => address),
        );
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#writing = undefined;
  }
}
