import { type Part, runSideBySide } from './side-by-side.ts';
import { types } from './types.ts';
import { answerHelp } from './usage.ts';

/** `npm run check`: everything that is checked without running the code, side by side. */
answerHelp(`Usage: npm run check

Checks types, format, lint, layers, words and the length of lines, and writes the bill of materials. Ends with 1 if one
of them fails. npm run precommit checks what a commit usually breaks.
`);

const parts: Record<string, Part> = {
  ...types,
  'format and lint': ['biome', 'check', '--error-on-warnings', '.'],
  promises: ['oxlint', '--deny-warnings', ...['server', 'packages', 'sdk', 'cli', 'console', 'tools', 'bench']],
  layers: ['node', 'tools/layers.ts'],
  words: ['node', 'tools/words.ts'],
  'line length': ['node', 'tools/line-length.ts'],
  'bill of materials': ['node', 'tools/packaging/sbom.ts'],
};
process.exitCode = (await runSideBySide(parts)) ? 0 : 1;
