import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Cli } from './cli.ts';
import { usageFailure } from './failures.ts';

/** Asks in the terminal. Without one, reads the first line of standard input. */
export async function ask(cli: Cli, question: string, isHidden = false): Promise<string> {
  const { stdin, stderr, isTerminal, signal } = cli.system;
  if (!isTerminal) {
    const line = (await text(stdin)).split('\n')[0]?.trim() ?? '';
    if (line === '')
      throw usageFailure(`${question.replace(/: $/, '')} is missing: give it as an option or on standard input.`);
    return line;
  }
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  stderr.write(question);
  const lines = createInterface({ input: stdin, output: isHidden ? hidden : stderr, terminal: true });
  // While the terminal is read, Ctrl-C arrives here instead of as a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
    if (isHidden) stderr.write('\n');
  }
}
