import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from './usage.ts';

/**
 * The first five minutes of a new user: clone, `npm start`, the lines of the README, word for word. The payment must
 * succeed, its webhook must arrive at `npm run receiver`, and `npm run verify` must pass. The lines are pasted again,
 * and once more after Ctrl-C, which must exit with 0, and a second start. Ports 8080 and 9999 must be free.
 */
answerHelp(`Usage: npm run smoke

Clones this repository into a scratch folder, starts it and pastes the lines of the README. Ports 8080 and 9999 must
be free.
`);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readyWithinMs = 5 * 60_000; // The first start installs.
const arrivesWithinMs = 20_000;

/** The receiver's secret is that of the quickstart's examples. */
const register =
  'npx --no-install florin --json post /api/webhook/register url=http://127.0.0.1:9999/ events=\'["transaction.*"]\' ' +
  'secret=whsec_DemonstrationSecret1 livemode=false';

const clone = mkdtempSync(join(tmpdir(), 'florin-smoke-'));
const running: Launched[] = [];
try {
  await smoke();
  console.log(
    'smoke: a fresh clone started twice, took the payments of the README each time, ' +
      'delivered their webhooks, and verify passed',
  );
} finally {
  for (const program of running) program.kill();
  rmSync(clone, { recursive: true, force: true });
}

async function smoke(): Promise<void> {
  requireThat(spawnSync('git', ['clone', '--quiet', root, clone]).status === 0, 'git clone failed');
  const first = launch('npm', ['start'], cleanEnvironment());
  await first.prints('{"msg":"Florin is ready"', readyWithinMs);
  const receiver = launch('npm', ['run', 'receiver'], cleanEnvironment());
  await receiver.prints('Waiting for webhooks', arrivesWithinMs);

  const readme = linesOf('README.md');
  requirePayments(readme, 1);
  requirePrinted(register, '"id":');
  requirePayments(readme, 2);
  await receiver.prints('signature verified', arrivesWithinMs);
  await receiver.prints('transaction.succeeded', arrivesWithinMs);

  const another = spawnSync('npm', ['start'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  requireThat(another.status === 1, `a second npm start in the same folder ended with ${another.status}`);
  requireThat(another.stderr.includes('is in use by process'), `a second npm start said ${another.stderr}`);
  requireThat((await first.interrupt()) === 0, 'npm start did not end with 0 after an interrupt');

  const second = launch('npm', ['start'], cleanEnvironment());
  await second.prints('{"msg":"Florin is ready"', readyWithinMs);
  requirePayments(readme, 3);
  await receiver.prints('transaction.succeeded', arrivesWithinMs, 2);
  const sandboxPage = linesOf('docs/guides/sandbox.md');
  // A channel and three payments.
  requireReplies(sandboxPage, 4);
  requireReplies(sandboxPage, 3);
  const verified = spawnSync('npm', ['run', 'verify'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  requireThat(verified.status === 0, `npm run verify printed ${verified.stdout} ${verified.stderr}`);
  requireThat((await second.interrupt()) === 0, 'the second npm start did not end with 0 after an interrupt');
}

/** The lines of a page that are meant to be pasted. */
function linesOf(page: string): string {
  const blocks = readFileSync(join(clone, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, block]) => block).join('\n');
}

/** Pastes the lines of the README: they must show a payment that succeeded, and that many in all. */
function requirePayments(lines: string, count: number): void {
  const printed = requirePrinted(lines, 'transaction.succeeded evt_');
  const paid = printed.match(/^txn_\S+\tSUCCESS\t1999\tUSD/gm) ?? [];
  requireThat(paid.length === count, `the lines printed ${printed}`);
}

/** Pastes the lines into a new shell. */
function requirePrinted(lines: string, text: string): string {
  const env = { ...cleanEnvironment(), XDG_CONFIG_HOME: join(clone, '.config') };
  const pasted = spawnSync('sh', ['-e'], { cwd: clone, input: lines, encoding: 'utf8', env });
  const printed = `${pasted.stdout} ${pasted.stderr}`;
  requireThat(pasted.status === 0 && pasted.stdout.includes(text), `the lines printed ${printed}`);
  return pasted.stdout;
}

/**
 * Pastes the lines into a new shell. Exactly `count` replies must be printed, all with code 200, a payment among them.
 */
function requireReplies(lines: string, count: number): void {
  const pasted = spawnSync('sh', ['-e'], { cwd: clone, input: lines, encoding: 'utf8', env: cleanEnvironment() });
  const codes = [...pasted.stdout.matchAll(/"code":(\d+)/g)].map(([, code]) => code);
  const complaint = `the lines printed ${pasted.stdout} ${pasted.stderr}`;
  requireThat(pasted.status === 0 && pasted.stdout.includes('"status":"PENDING"'), complaint);
  requireThat(codes.length === count && codes.every((code) => code === '200'), complaint);
}

/** The environment without settings of Florin and npm, and without node_modules in the path. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(APP_|npm_)|^(PORT|HOST|DATABASE_URL|NODE_ENV)$/.test(name),
  );
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(entries), PATH: path.join(':') };
}

interface Launched {
  /** Resolves when the text has been printed that many times; rejects when the process ends or the time is up. */
  prints: (text: string, withinMs: number, times?: number) => Promise<void>;
  /** Sends SIGINT to the whole process group, as Ctrl-C does; resolves with the exit code. */
  interrupt: () => Promise<number | null>;
  kill: () => void;
}

function launch(command: string, args: string[], env: NodeJS.ProcessEnv): Launched {
  const child = spawn(command, args, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      for (const check of listeners) check();
    });
  }
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid as number), name);
    } catch {
      // The process has exited already.
    }
  };
  const launched: Launched = {
    prints: (text, withinMs, times = 1) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${command} did not print "${text}" ${times} times:\n${output}`)),
          withinMs,
        );
        exited.then((code) => reject(new Error(`${command} ended with ${code}:\n${output}`)), reject);
        const check = () => {
          // The type of an event is in its body too, so only lines that begin with it count.
          if (output.split(`\n${text}`).length <= times) return;
          clearTimeout(late);
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
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

function requireThat(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
