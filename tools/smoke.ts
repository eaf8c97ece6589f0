import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A newcomer's first five minutes, word for word: clone, `npm start`, `npm run receiver`, the README's lines, the webhooks
 * arrive, the payment succeeds, and the books are right. The lines are pasted again, and once more after Ctrl-C, which must
 * end in 0, and a second start. Ports 8080 and 9999 must be free.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readyWithinMs = 5 * 60_000; // The first start installs.
const arrivesWithinMs = 20_000;

const clone = mkdtempSync(join(tmpdir(), 'florin-smoke-'));
const running: Launched[] = [];
try {
  await smoke();
  console.log(
    'smoke: a fresh clone started twice, took the README payments each time, delivered their webhooks, and its books are right',
  );
} finally {
  for (const one of running) one.kill();
  rmSync(clone, { recursive: true, force: true });
}

async function smoke(): Promise<void> {
  demand(spawnSync('git', ['clone', '--quiet', root, clone]).status === 0, 'git clone failed');
  const first = launch('npm', ['start'], cleanEnvironment());
  await first.says('Florin is ready at', readyWithinMs);
  const receiver = launch('npm', ['run', 'receiver'], cleanEnvironment());
  await receiver.says('Waiting for webhooks', arrivesWithinMs);

  const readme = linesOf('README.md');
  // Two channels, a webhook, a payment and a timeline; whatever is there already is not made again.
  demandReplies(readme, 5);
  await receiver.says('signature verified', arrivesWithinMs);
  await receiver.says('transaction.succeeded', arrivesWithinMs);
  demandReplies(readme, 2);
  await receiver.says('transaction.succeeded', arrivesWithinMs, 2);

  const another = spawnSync('npm', ['start'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  demand(another.status === 1, `a second npm start in the same folder ended with ${another.status}`);
  demand(another.stderr.includes('is in use by Florin process'), `a second npm start said ${another.stderr}`);
  demand((await first.interrupt()) === 0, 'npm start did not end with 0 after an interrupt');

  const second = launch('npm', ['start'], cleanEnvironment());
  await second.says('Florin is ready at', readyWithinMs);
  demandReplies(readme, 2);
  await receiver.says('transaction.succeeded', arrivesWithinMs, 3);
  const sandboxPage = linesOf('docs/guides/sandbox.md');
  // A channel and three payments.
  demandReplies(sandboxPage, 4);
  demandReplies(sandboxPage, 3);
  const verified = spawnSync('npm', ['run', 'verify'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  demand(verified.status === 0, `npm run verify printed ${verified.stdout} ${verified.stderr}`);
  demand((await second.interrupt()) === 0, 'the second npm start did not end with 0 after an interrupt');
}

/** The lines that a page gives to paste. */
function linesOf(page: string): string {
  const blocks = readFileSync(join(clone, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, block]) => block).join('\n');
}

/** Pastes the lines into a fresh shell, and looks that so many replies are printed, all of them 200, a payment among them. */
function demandReplies(lines: string, count: number): void {
  const pasted = spawnSync('sh', ['-e'], { cwd: clone, input: lines, encoding: 'utf8', env: cleanEnvironment() });
  const codes = [...pasted.stdout.matchAll(/"code":(\d+)/g)].map(([, code]) => code);
  const said = `the lines printed ${pasted.stdout} ${pasted.stderr}`;
  demand(pasted.status === 0 && pasted.stdout.includes('"status":"PENDING"'), said);
  demand(codes.length === count && codes.every((code) => code === '200'), said);
}

/** As a newcomer's shell would have it: none of the settings of whoever runs this. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(APP_|npm_)|^(PORT|HOST|DATABASE_URL|NODE_ENV)$/.test(name),
  );
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(entries), PATH: path.join(':') };
}

interface Launched {
  /** Resolves when the text has been printed (so many times); rejects when the process ends or the time is up. */
  says: (text: string, withinMs: number, times?: number) => Promise<void>;
  /** Ctrl-C, which reaches every process of the terminal's foreground group; gives the exit code. */
  interrupt: () => Promise<number | null>;
  kill: () => void;
}

function launch(command: string, args: string[], env: NodeJS.ProcessEnv): Launched {
  const child = spawn(command, args, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const heard = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      for (const look of heard) look();
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
    says: (text, withinMs, times = 1) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${command} did not say "${text}" ${times} times:\n${output}`)),
          withinMs,
        );
        exited.then((code) => reject(new Error(`${command} ended with ${code}:\n${output}`)), reject);
        const look = () => {
          // An event's type stands in its body as well: lines that begin with it are counted.
          if (output.split(`\n${text}`).length <= times) return;
          clearTimeout(late);
          heard.delete(look);
          resolve();
        };
        heard.add(look);
        look();
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

function demand(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
