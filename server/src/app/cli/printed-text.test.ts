import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openLog } from '../../platform/process/log.ts';
import { readSettings } from '../config/settings.ts';
import { runCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { noteOnStandardError, progressOf } from './progress.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/**
 * Clears the screen, sets the title of the window by a one-byte sequence, hides what follows, reverses it, and begins a
 * line.
 */
const hostile = 'Acme\u001b[2J\u009b31m\u009d0;title\u0007\u200b\u202e\rok';
const acting = /[^\P{Cc}\n]|[\u200b-\u200f\u2028-\u202e]/u;

function written(): { out: string[]; err: string[] } {
  const texts = { out: [] as string[], err: [] as string[] };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => texts.out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => texts.err.push(String(text)) > 0);
  return texts;
}

const settings = readSettings({}, undefined);

test('the results and notes of a command print stored text without what acts on a terminal', async () => {
  const { out, err } = written();
  const exitCode = await runCommand('examine', { settings }, async ({ print, note }) => {
    print(`channel ${hostile}\nok      everything`);
    note(`channel ${hostile}`);
    return 0;
  });
  vi.restoreAllMocks();
  expect(exitCode).toBe(0);
  for (const line of [...out, ...err]) expect(line).not.toMatch(acting);
  // A stored line end begins no line of its own.
  expect(out.join('').trimEnd()).not.toContain('\n');
});

test.each([
  ['a failure', new CommandFailure(`cannot read ${hostile}`)],
  ['a defect', new Error(`duplicate key ${hostile}`)],
])('%s of a command prints stored text without what acts on a terminal', async (_what, error) => {
  const { err } = written();
  await runCommand('examine', { settings }, () => Promise.reject(error));
  vi.restoreAllMocks();
  expect(err.join('')).toContain('Acme');
  expect(err.join('')).not.toMatch(acting);
});

test('progress that is drawn in place shows stored text without what acts on a terminal', () => {
  const { err } = written();
  vi.useFakeTimers();
  const isTerminal = process.stderr.isTTY;
  process.stderr.isTTY = true;
  const progress = progressOf(noteOnStandardError, () => `table ${hostile}`);
  vi.advanceTimersByTime(1_000);
  progress.stop();
  process.stderr.isTTY = isTerminal;
  vi.restoreAllMocks();
  const clearLine = '\r\u001b[K';
  expect(err.length).toBeGreaterThan(2);
  for (const text of err) {
    expect(text.startsWith(clearLine)).toBe(true);
    expect(text.slice(clearLine.length)).not.toMatch(acting);
  }
});

test('a line of the log escapes what acts on a terminal that shows it, and says the same', () => {
  const lines: string[] = [];
  openLog('info', { write: (line) => lines.push(line) }).warn({ name: hostile, error: new Error(hostile) }, hostile);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(acting);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ name: hostile, msg: hostile, error: { message: hostile } });
});

test('operators’ commands write to standard output and error by nothing else', () => {
  const folder = join(import.meta.dirname, '..');
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !/\.(test|process|drill|browser)\.ts$/.test(path))
    .filter((path) =>
      /process\.(stdout|stderr)\.write|console\.(log|error)/.test(readFileSync(join(folder, path), 'utf8')),
    );
  expect(writers.toSorted()).toEqual(['cli/arguments.ts', 'cli/progress.ts', 'main.ts']);
});

test('outside of a usage, which is adapted, commands are named as an installed package has them', () => {
  const folder = join(import.meta.dirname, '..');
  const named = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|process|drill|browser)\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
        .replaceAll(/\/\*[\s\S]*?\*\//g, '')
        .replaceAll(/`Usage: [^`]*`/g, '');
      return [...text.matchAll(/npm run (?:backup|restore|verify|doctor|rehearse|reseal)/g)].map(
        ([name]) => `${file}: ${name}`,
      );
    });
  expect(named).toEqual([]);
});
