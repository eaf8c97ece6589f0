import { serverPrograms } from './commands/operators.ts';
import { runProgram } from './program.ts';

const interruption = new AbortController();
const { stdin, stdout, stderr, env } = process;

// `florin events list | head` closes the pipe, which is no failure.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}

const words = process.argv.slice(2);
// Programs of the server handle these signals themselves.
if (words.length > 0 && !['start', ...Object.keys(serverPrograms)].includes(words[0] as string)) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new DOMException('Interrupted', 'AbortError')));
  }
}

const isTerminal = stdout.isTTY === true;
const exitCode = await runProgram(words, { env, stdin, stdout, stderr, isTerminal, signal: interruption.signal });
// Programs of the server set the code themselves.
if (exitCode !== 0) process.exitCode = exitCode;
