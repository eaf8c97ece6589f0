import { WriteBehind } from '../../../platform/postgres/write-behind.ts';

/** When and from where a key or a session was used. */
export interface LastUse<Id> {
  id: Id;
  at: Date;
  address: string;
}

/**
 * Writes last uses without delaying the requests that used a key or a session. A failed write is not repeated: the next
 * use after a minute is recorded again. `write` takes one array for each column.
 */
export function lastUseWriter<Id extends number | string>(
  write: (ids: Id[], times: Date[], addresses: string[]) => Promise<unknown>,
  onError: (error: unknown) => void,
): WriteBehind<LastUse<Id>> {
  return new WriteBehind({
    write: (uses) =>
      write(
        uses.map(({ id }) => id),
        uses.map(({ at }) => at),
        uses.map(({ address }) => address),
      ),
    onLost: onError,
  });
}
