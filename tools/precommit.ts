import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSideBySide } from './side-by-side.ts';
import { types } from './types.ts';
import { answerHelp } from './usage.ts';

/**
 * `npm run precommit`: checks in a few seconds what a commit usually breaks: types, format and lint of the changed
 * files, and the layers. `npm run check` checks everything.
 */
answerHelp(`Usage: npm run precommit

Checks types, format and lint of the changed files, and the layers. npm run check checks everything.
`);

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const changed = changedFiles();
const options = ['--error-on-warnings', '--no-errors-on-unmatched', '--files-ignore-unknown=true'];
const passed = await runSideBySide({
  ...types,
  // Without a file it would check all of them.
  ...(changed.length > 0 && { 'format and lint': ['biome', 'check', ...options, ...changed] as const }),
  layers: ['node', 'tools/layers.ts'],
});
process.exitCode = passed ? 0 : 1;

/** Changed since the last commit, staged or not, and new ones. */
function changedFiles(): string[] {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  const changed = git('diff', 'HEAD', '--name-only', '--diff-filter=d', '-z');
  const added = git('ls-files', '--others', '--exclude-standard', '-z');
  return `${changed}${added}`.split('\0').filter((file) => file !== '');
}
