import { expect, test } from 'vitest';
import { bannedWordsIn } from '../words.ts';

const found = (text: string, path = 'a.ts') => bannedWordsIn(path, text);

test.each([
  ['a comment', '// Whoever asks', 'Whoever'],
  ['a string', `log.warn('The node is deaf')`, 'deaf'],
  ['an identifier in camel case', 'const openLane = 1;', 'Lane'],
  ['an identifier in snake case', 'const MAX_LANES = 1;', 'LANES'],
  ['a phrase', '// This takes the long way.', 'the long way'],
  ['a phrase that is broken over two lines', ' * This takes the\n * long way.', 'the long way'],
  ['the prefix of an identifier', 'function demandScope() {}', 'demandScope'],
  ['a column name in a comment', '// Deliveries that were set aside', 'set aside'],
  ['a column name at the end of a line of code', 'run(x); // set aside', 'set aside'],
  ['a column name inside an identifier in camel case', 'const setAside = 1;', 'set Aside'],
])('a banned word in %s is found', (_where, text, word) => {
  expect(found(text).join('\n')).toContain(`"${word}"`);
});

test('a finding names the file, the line and the term to use', () => {
  expect(found('\n\nconst isDeaf = true;')).toEqual(['a.ts:3 "Deaf": use disconnected.']);
});

test('names of columns and tables are allowed in code, and not in docs', () => {
  const sql = "const select = 'select aside from idempotency_record where not row.aside';";
  expect(found(sql)).toEqual([]);
  expect(found('Deliveries set aside wait.', 'a.md')).toHaveLength(1);
});

test('longer words that contain a banned one are allowed', () => {
  expect(found('// A planet, newsletters, Math.floor and bedrooms; brush the besides.')).toEqual([]);
});
