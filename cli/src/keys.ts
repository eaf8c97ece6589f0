import type { ReadStream } from 'node:tty';
import type { Surroundings } from './surroundings.ts';

/** What a key does, by the key. */
export type Keys = Readonly<Record<string, () => void>>;

const ctrlC = '\u0003';

/** Calls an action for each key that is pressed, until `stop`. Does nothing without a terminal to read from. */
export function onKeys({ stdin, isTerminal }: Pick<Surroundings, 'stdin' | 'isTerminal'>, keys: Keys): () => void {
  const terminal = stdin as Partial<ReadStream>;
  if (!isTerminal || terminal.isTTY !== true || terminal.setRawMode === undefined) return () => {};
  const press = (chunk: Buffer | string): void => {
    for (const key of String(chunk)) {
      // A terminal in raw mode reports Ctrl-C as a key instead of sending the signal.
      if (key === ctrlC) process.kill(process.pid, 'SIGINT');
      else if (Object.hasOwn(keys, key)) keys[key]?.();
    }
  };
  terminal.setRawMode(true);
  stdin.on('data', press).resume();
  return () => {
    stdin.off('data', press).pause();
    terminal.setRawMode?.(false);
  };
}
