import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runProgram } from '../support/service/run-program.ts';
import { requireBundle } from '../support/service/service-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), "florin terminal's "));
const dataDir = join(folder, 'data');

/** `script` of util-linux runs a program in a terminal. */
const hasTerminal = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the service in a terminal, and returns what it shows until `last`, after `during` ran. */
async function shownInTerminal(last: RegExp, during: (shown: string) => Promise<void> = async () => {}) {
  requireBundle();
  const { PATH, HOME } = process.env;
  const command = `'${process.execPath}' server/dist/main.js`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', APP_DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  const ended = new Promise((resolve) => terminal.on('exit', resolve));
  const isReady = new Promise<void>((resolve) => {
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk.replaceAll('\r', '');
      if (last.test(shown)) resolve();
    });
  });
  await Promise.race([isReady, ended]);
  const before = shown;
  try {
    await during(before);
  } finally {
    // Ctrl-C.
    terminal.stdin.write('\u0003');
    await ended;
  }
  return before;
}

test.skipIf(!hasTerminal)(
  'in a terminal a start shows five lines, the first one also the password and commands that make a payment succeed',
  async () => {
    const first = await shownInTerminal(/payments list\n/, async (shown) => {
      const commands = shown
        .split('\n')
        .filter((line) => line.includes('npx --no-install florin'))
        .join('\n');
      expect(commands.split('\n')).toHaveLength(3);
      const environment = { HOME: folder, PATH: process.env.PATH as string };
      const { stdout, stderr } = await runProgram('sh', ['-ec', commands], { cwd: root, environment });
      expect(stdout, stderr).toMatch(/transaction\.succeeded evt_\S+ about txn_/);
      expect(stdout).toMatch(/txn_\S+\tSUCCESS\t1999\tUSD/);
    });
    const password = readFileSync(join(dataDir, 'admin-password'), 'utf8').trim();
    expect(linesOf(first.split('A first test payment')[0])).toEqual([
      expect.stringMatching(/^Florin is ready at http/),
      expect.stringMatching(/^Console +http/),
      expect.stringMatching(/^Documentation +http\S+\/docs$/),
      `Administrator  admin, password ${password} (kept in ${dataDir}/admin-password)`,
      `Ctrl-C stops it; the data stays in ${dataDir}`,
    ]);

    const second = await shownInTerminal(/data stays in .*\n/);
    expect(linesOf(second)).toHaveLength(5);
    expect(second).not.toContain(password);
    expect(second).toContain(`password in ${dataDir}/admin-password`);
  },
);

const linesOf = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
