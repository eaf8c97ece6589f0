import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Follows the README as a newcomer does: clone, `npm start`, `npm run receiver`, and the README's commands; the payment must
 * succeed, its webhooks must arrive, and `npm run verify` must pass. The commands run again, and once more after Ctrl-C,
 * which must end with 0, and a second start. Ports 8080 and 9999 must be free.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readyTimeoutMs = 5 * 60_000; // The first start installs.
const arrivalTimeoutMs = 20_000;

const clone = mkdtempSync(join(tmpdir(), 'florin-smoke-'));
const running: Launched[] = [];
try {
  await smoke();
  console.log(
    'smoke: a fresh clone started twice, created the README payments each time, delivered their webhooks, and passed verify',
  );
} finally {
  for (const one of running) one.kill();
  rmSync(clone, { recursive: true, force: true });
}

async function smoke(): Promise<void> {
  assert(spawnSync('git', ['clone', '--quiet', root, clone]).status === 0, 'git clone failed');
  const first = launch('npm', ['start'], cleanEnvironment());
  await first.says('Florin is ready at', readyTimeoutMs);
  const receiver = launch('npm', ['run', 'receiver'], cleanEnvironment());
  await receiver.says('Waiting for webhooks', arrivalTimeoutMs);

  const readme = commandsOf('README.md');
  // Two channels, a webhook, a payment and a timeline; existing records are not created again.
  requireReplies(readme, 5);
  await receiver.says('signature verified', arrivalTimeoutMs);
  await receiver.says('transaction.succeeded', arrivalTimeoutMs);
  requireReplies(readme, 2);
  await receiver.says('transaction.succeeded', arrivalTimeoutMs, 2);

  const another = spawnSync('npm', ['start'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  assert(another.status === 1, `a second npm start in the same folder ended with ${another.status}`);
  assert(another.stderr.includes('is in use by Florin process'), `a second npm start said ${another.stderr}`);
  assert((await first.interrupt()) === 0, 'npm start did not end with 0 after an interrupt');

  const second = launch('npm', ['start'], cleanEnvironment());
  await second.says('Florin is ready at', readyTimeoutMs);
  requireReplies(readme, 2);
  await receiver.says('transaction.succeeded', arrivalTimeoutMs, 3);
  const sandboxPage = commandsOf('docs/sandbox.md');
  // A channel and three payments.
  requireReplies(sandboxPage, 4);
  requireReplies(sandboxPage, 3);
  const verified = spawnSync('npm', ['run', 'verify'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  assert(verified.status === 0, `npm run verify printed ${verified.stdout} ${verified.stderr}`);
  assert((await second.interrupt()) === 0, 'the second npm start did not end with 0 after an interrupt');
}

/** The shell commands of a page. */
function commandsOf(page: string): string {
  const blocks = readFileSync(join(clone, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, block]) => block).join('\n');
}

/** Runs the commands in a new shell and requires `count` replies, all with code 200 and one with a payment. */
function requireReplies(commands: string, count: number): void {
  const shell = spawnSync('sh', ['-e'], { cwd: clone, input: commands, encoding: 'utf8', env: cleanEnvironment() });
  const codes = [...shell.stdout.matchAll(/"code":(\d+)/g)].map(([, code]) => code);
  const message = `the commands printed ${shell.stdout} ${shell.stderr}`;
  assert(shell.status === 0 && shell.stdout.includes('"status":"PENDING"'), message);
  assert(codes.length === count && codes.every((code) => code === '200'), message);
}

/** The environment without settings of Florin and npm. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(APP_|npm_)|^(PORT|HOST|DATABASE_URL|NODE_ENV)$/.test(name),
  );
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(entries), PATH: path.join(':') };
}

interface Launched {
  /** Resolves when the text has been printed `times` times; rejects when the process ends or after the timeout. */
  says: (text: string, timeoutMs: number, times?: number) => Promise<void>;
  /** Sends SIGINT to the process group, as Ctrl-C does; returns the exit code. */
  interrupt: () => Promise<number | null>;
  kill: () => void;
}

function launch(command: string, args: string[], env: NodeJS.ProcessEnv): Launched {
  const child = spawn(command, args, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const checks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      for (const check of checks) check();
    });
  }
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid as number), name);
    } catch {
      // It has ended already.
    }
  };
  const launched: Launched = {
    says: (text, timeoutMs, times = 1) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${command} did not print "${text}" ${times} times:\n${output}`)),
          timeoutMs,
        );
        exited.then((code) => reject(new Error(`${command} ended with ${code}:\n${output}`)), reject);
        const check = () => {
          // The type of an event is in its body as well: only lines that begin with it count.
          if (output.split(`\n${text}`).length <= times) return;
          clearTimeout(timer);
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        check();
      }),
    interrupt: () => {
      signal('SIGINT');
      return exited;
    },
    kill: () => signal('SIGKILL'),
  };
  running.push(launched);
  return launched;
}
