import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A newcomer's first five minutes, word for word: clone, `npm start`, `npm run receiver`, the README's lines, the webhooks
 * arrive, the payment succeeds, and the books are right. Then Ctrl-C, which must end in 0. Ports 8080 and 9999 must be free.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readyWithinMs = 5 * 60_000; // The first start installs.
const arrivesWithinMs = 20_000;

const clone = mkdtempSync(join(tmpdir(), 'florin-smoke-'));
const running: Launched[] = [];
try {
  await smoke();
  console.log(
    'smoke: a fresh clone started, took the README payments, delivered their webhooks, and its books are right',
  );
} finally {
  for (const one of running) one.kill();
  rmSync(clone, { recursive: true, force: true });
}

async function smoke(): Promise<void> {
  demand(spawnSync('git', ['clone', '--quiet', root, clone]).status === 0, 'git clone failed');
  const service = launch('npm', ['start'], cleanEnvironment());
  await service.says('Florin is ready at', readyWithinMs);
  const receiver = launch('npm', ['run', 'receiver'], cleanEnvironment());
  await receiver.says('Waiting for webhooks', arrivesWithinMs);

  const blocks = readFileSync(join(clone, 'README.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g);
  const lines = [...blocks].map(([, block]) => block).join('\n');
  const pasted = spawnSync('sh', ['-e'], { cwd: clone, input: lines, encoding: 'utf8', env: cleanEnvironment() });
  demand(pasted.stdout.includes('"status":"PENDING"'), `the README's lines printed ${pasted.stdout} ${pasted.stderr}`);
  await receiver.says('signature verified', arrivesWithinMs);
  await receiver.says('transaction.succeeded', arrivesWithinMs);
  const verified = spawnSync('npm', ['run', 'verify'], { cwd: clone, encoding: 'utf8', env: cleanEnvironment() });
  demand(verified.status === 0, `npm run verify printed ${verified.stdout} ${verified.stderr}`);

  demand((await service.interrupt()) === 0, 'npm start did not end with 0 after an interrupt');
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
  /** Resolves when the text has been printed; rejects when the process ends or the time is up. */
  says: (text: string, withinMs: number) => Promise<void>;
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
    says: (text, withinMs) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${command} did not say "${text}":\n${output}`)), withinMs);
        exited.then((code) => reject(new Error(`${command} ended with ${code}:\n${output}`)), reject);
        const look = () => {
          if (!output.includes(text)) return;
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
