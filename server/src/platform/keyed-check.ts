import type { Snapshot } from './postgres/database.ts';

/** A claim that the service checks itself, because it takes keys that the database never sees. */
export interface KeyedCheck {
  claim: string;
  /**
   * `open` opens what is sealed in the database; it throws where the key is not there, or the value belongs elsewhere.
   */
  check: (snapshot: Snapshot, keys: CheckKeys, atMost: number) => Promise<KeyedResult>;
}

export interface CheckKeys {
  open: (sealed: Buffer, associatedData: string) => string;
  /** Whether the key that sealed a value is there. */
  has: (sealed: Buffer) => boolean;
}

export interface KeyedResult {
  /** Up to `atMost` rows that break the claim. */
  offenders: string[];
  /** What was checked, in a few words. */
  note: string;
  /** How many rows could not be checked, because a key is lost. */
  unchecked: number;
}
