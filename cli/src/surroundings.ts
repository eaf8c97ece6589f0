import type { Readable, Writable } from 'node:stream';

/** What a command sees of the machine. Tests give their own. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  /** Whether a person reads the output. */
  isTerminal: boolean;
  /** Aborted when the command is to end, by Ctrl-C. */
  signal: AbortSignal;
  /** Waits, in ms. Tests wait for less; the default ends with `signal`. */
  pause?: (ms: number) => Promise<void>;
  /** Opens an address in the person's browser; by default the system does. */
  open?: (address: string) => void;
}
