import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The formatter breaks code at this length, and leaves comments alone. */
const mostCharacters = 120;
const comment = /^\s*(\/\/|\/?\*)/;
/** A directive to another tool, or an address. */
const unbreakable = /https?:\/\/|(biome-ignore|oxlint-disable)/;

/** Comments that are longer than a line. Addresses and directives cannot be broken. */
function longComments(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) => {
      const isLong = [...line].length > mostCharacters && comment.test(line) && !unbreakable.test(line);
      return isLong ? [`${path}:${i + 1} a comment of more than ${mostCharacters} characters`] : [];
    });
}

const folders = ['server', 'packages', 'console', 'sdk', 'cli', 'tools', 'bench', 'fonts'];
const files = execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' }).split('\n');
const findings = files
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('/generated/'))
  .flatMap(longComments);
for (const finding of findings) process.stderr.write(`${finding}\n`);
process.stdout.write(
  `line length: ${findings.length === 0 ? 'no comment is too long' : `${findings.length} comments are too long`}\n`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
