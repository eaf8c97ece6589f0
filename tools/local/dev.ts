import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Welcome, welcomeText } from '@florin/server/app/cli/welcome.ts';
import { readableLine } from '@florin/server/platform/process/readable-log.ts';
import { createDemoData } from './demo.ts';

/** `npm run dev`: the service, restarted when a file changes, with a log for people. */
const usage = `Usage: npm run dev [-- --demo] [-- --inspect]

Starts Florin, restarts it when a file below server/src changes, and prints its log as text.

  --demo      creates a sandbox channel, a customer, payments, a refund and a subscription through the API, once
  --inspect   opens the debugger port 9229 (Chrome: chrome://inspect; VS Code: Attach to Node Process)

The settings of npm start apply. APP_LOG_LEVEL=debug prints every request.
`;
const options = process.argv.slice(2);
if (options.some((option) => !['--demo', '--inspect'].includes(option))) {
  process.stderr.write(usage);
  process.exit(options.includes('--help') || options.includes('-h') ? 0 : 2);
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const main = spawn(
  process.execPath,
  [
    '--watch',
    '--watch-preserve-output',
    ...(options.includes('--inspect') ? ['--inspect'] : []),
    join(root, 'server/src/app/main.ts'),
  ],
  { stdio: ['inherit', 'pipe', 'pipe'] },
);
let hasWelcomed = false;
let isDemoWanted = options.includes('--demo');

createInterface({ input: main.stderr }).on('line', (line) => process.stderr.write(`${readableLine(line)}\n`));
createInterface({ input: main.stdout }).on('line', (line) => {
  const { msg, address, administrator, passwordFile } = jsonOf(line);
  if (msg !== 'Florin is ready') {
    process.stdout.write(`${line}\n`);
    return;
  }
  const dataDir = process.env.APP_DATA_DIR ?? 'data';
  const welcome = { address, administrator, passwordFile, dataDir, isStrict: false, isFirst: false };
  process.stdout.write(hasWelcomed ? `Florin is ready at ${address}\n` : welcomeText(welcome));
  hasWelcomed = true;
  if (!isDemoWanted) return;
  isDemoWanted = false;
  createDemoData(address).then(
    (summary) => process.stdout.write(`${summary}\n`),
    (error: unknown) => process.stderr.write(`The demo data could not be created: ${String(error)}\n`),
  );
});

function jsonOf(line: string): Pick<Welcome, 'address' | 'administrator' | 'passwordFile'> & { msg?: string } {
  try {
    return JSON.parse(line);
  } catch {
    return { address: '', administrator: '' };
  }
}

// Ctrl-C reaches the service as well, being in the same group of processes; this one ends when the service has stopped.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => main.kill('SIGTERM'));
main.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
