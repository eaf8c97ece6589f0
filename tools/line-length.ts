import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The formatter breaks code at this length where it can, and leaves comments, strings and templates alone. */
const mostCharacters = 120;
/** A directive to another tool, or an address. */
const unbreakable = /https?:\/\/|(biome-ignore|oxlint-disable)/;

/** Lines of code or comments that are longer. Addresses and directives cannot be broken. */
function longLines(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, i) =>
      [...line].length > mostCharacters && !unbreakable.test(line)
        ? [`${path}:${i + 1} is longer than ${mostCharacters} characters`]
        : [],
    );
}

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { encoding: 'utf8' }).split('\n');
const findings = files
  .filter((file) => file !== '' && existsSync(file) && !file.includes('/generated/'))
  .flatMap(longLines);
for (const finding of findings) process.stderr.write(`${finding}\n`);
process.stdout.write(
  `line length: ${findings.length === 0 ? 'no line is too long' : `${findings.length} lines are too long`}\n`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
