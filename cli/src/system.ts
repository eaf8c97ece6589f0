import type { Readable, Writable } from 'node:stream';

/** What a command uses of the machine. Tests replace it. */
export interface System {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  /** Whether a person reads the output. */
  isTerminal: boolean;
  /** Aborted when the command is to end, by Ctrl-C. */
  signal: AbortSignal;
  /** Waits, in ms. Tests shorten it; the default ends with `signal`. */
  pause?: (ms: number) => Promise<void>;
  /** Opens an address in the user's browser. */
  open?: (address: string) => void;
}
