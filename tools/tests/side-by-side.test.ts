import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const tool = new URL('../side-by-side.ts', import.meta.url).href;

/** Runs these scripts of Node.js side by side, and returns the exit code and the lines of the output. */
function run(scripts: Record<string, string>) {
  const parts = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, [process.execPath, '-e', script]]),
  );
  const program = `
    const { runSideBySide } = await import(${JSON.stringify(tool)});
    process.exitCode = (await runSideBySide(${JSON.stringify(parts)})) ? 0 : 1;
  `;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return {
    status,
    lines: stdout
      .replaceAll(/\d+\.\d s$/gm, 'N s')
      .trimEnd()
      .split('\n'),
  };
}

test('the output of each part is whole, with both its streams', () => {
  const { status, lines } = run({
    one: 'console.log("a"); setTimeout(() => console.error("b"), 50)',
    two: 'console.log("c"); setTimeout(() => console.log("d"), 100)',
  });
  expect(status).toBe(0);
  for (const [name, first, last] of [
    ['one', 'a', 'b'],
    ['two', 'c', 'd'],
  ]) {
    const at = lines.indexOf(`== ${name}: passed, N s`);
    expect(lines.slice(at + 1, at + 3)).toEqual([first, last]);
  }
  expect(lines).toHaveLength(6);
});

test('a part that fails or does not exist makes the whole fail, and the others run to their end', () => {
  const failing = run({ broken: 'process.exit(3)', whole: 'setTimeout(() => console.log("done"), 100)' });
  expect(failing.status).toBe(1);
  expect(failing.lines).toEqual(expect.arrayContaining(['== broken: failed, N s', '== whole: passed, N s', 'done']));
  const program = `
    const { runSideBySide } = await import(${JSON.stringify(tool)});
    process.exitCode = (await runSideBySide({ absent: ['florin-no-such-program'] })) ? 0 : 1;
  `;
  expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })).toThrow(
    /Command failed/,
  );
});
