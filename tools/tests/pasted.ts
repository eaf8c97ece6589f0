import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';

/**
 * Runs commands as a person pastes them, in a folder, in a shell whose `curl` is a function that sends its arguments to
 * this process over a pipe. Machines without curl can run the test, and starting a process for each of a hundred
 * requests took ten times as long.
 */
export async function pasted(folder: string, script: string): Promise<string> {
  const child = spawn('sh', ['-e'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ANSWER: join(folder, 'answer') },
    stdio: Array(5).fill('pipe'),
  });
  const [stdin, stdout, stderr, asked, said] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
    Writable,
  ];
  stdin.end(`${curlInShell}\n${script}`);
  const ended = once(child, 'close');
  const [output, complaints] = await Promise.all([textOf(stdout), textOf(stderr), answerAll(folder, asked, said)]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`The shell ended with ${code}: ${complaints}\n${output}`);
  return output;
}

/** Sends the number of arguments and the arguments, each ended by NUL. A line says when the answer is in its file. */
const curlInShell = `curl() {
  printf '%s\\0' $# "$@" >&3
  read -r said <&4
  if [ "$said" != answered ]; then echo "$said" >&2; return 1; fi
  cat "$ANSWER"
}`;

async function answerAll(folder: string, asked: Readable, said: Writable): Promise<void> {
  let rest = '';
  const words: string[] = [];
  for await (const chunk of asked.setEncoding('utf8')) {
    const whole = (rest + chunk).split('\0');
    rest = whole.pop() ?? '';
    words.push(...whole);
    while (words.length > Number(words[0])) {
      const [, ...call] = words.splice(0, Number(words[0]) + 1);
      try {
        writeFileSync(join(folder, 'answer'), await curl(folder, call));
        said.write('answered\n');
      } catch (error) {
        said.write(`curl ${call.join(' ')}: ${(error as Error).message}\n`);
      }
    }
  }
}

/** The part of curl that the pages use: -s, -X, -H, -d, --data-binary with a file, and a URL. */
async function curl(folder: string, words: string[]): Promise<string> {
  const headers: Record<string, string> = {};
  let [address, method]: (string | undefined)[] = [];
  let body: string | Uint8Array<ArrayBuffer> | undefined;
  const next = () => words.shift() ?? '';
  while (words.length > 0) {
    const word = next();
    if (word === '-s') continue;
    if (word === '-X') method = next();
    else if (word === '-d') body = next();
    else if (word === '--data-binary') body = new Uint8Array(readFileSync(join(folder, next().slice(1))));
    else if (word === '-H') {
      const [name = '', value = ''] = next().split(/: (.*)/s);
      headers[name] = value;
    } else if (word.startsWith('-')) throw new Error(`This curl has no option ${word}`);
    else address = word;
  }
  method ??= body === undefined ? 'GET' : 'POST';
  const request = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) } as const;
  for (;;) {
    const answer = await fetch(address ?? '', request);
    const said = await answer.text();
    // A machine that runs tests is often full. No page shows this answer.
    if (answer.status !== 503) return said;
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1_000));
  }
}
