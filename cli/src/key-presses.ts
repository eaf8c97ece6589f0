import type { ReadStream } from 'node:tty';
import type { System } from './system.ts';

/** Actions by key. */
type KeyActions = Readonly<Record<string, () => void>>;

const ctrlC = '\u0003';

/** Calls the action of each pressed key, until the returned function is called. Does nothing without a terminal. */
export function onKeyPress({ stdin, isTerminal }: Pick<System, 'stdin' | 'isTerminal'>, keys: KeyActions): () => void {
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
