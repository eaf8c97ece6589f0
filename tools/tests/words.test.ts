import { expect, test } from 'vitest';
import { bannedWordsIn, checkedFiles, isChecked } from '../words.ts';

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

test.each([
  ['a column', "const select = 'select aside from delivery';", 'aside'],
  ['a table in code', "const select = 'select * from kept_answer';", 'kept_answer'],
  ['a table in a migration', 'create index on transaction_slice (day);', 'transaction_slice'],
  ['a statement', "statement('deliveries.survey', '…')", 'deliveries.survey'],
  ['a comment in SQL', '-- Deliveries that are set aside', 'set aside'],
  ['a path in the docs', '`POST /api/dispute/close`', '/api/dispute/close'],
])('a former name is found: %s', (_where, text, name) => {
  expect(found(text).join('\n')).toContain(`"${name}"`);
});

test('SQL, docs and the bench are checked; migrations that are released keep the words of their time', () => {
  const files = checkedFiles();
  for (const area of ['server/src/', 'server/tests/', 'docs/', 'bench/', 'deploy/', 'sdk/', 'cli/', 'console/']) {
    expect(files.filter((file) => file.startsWith(area)).length, area).toBeGreaterThan(0);
  }
  expect(files).not.toContain('server/migrations/0001_baseline.sql');
  expect(isChecked('server/migrations/0001_baseline.sql')).toBe(false);
  expect(isChecked('server/migrations/0096_next.sql')).toBe(true);
});

test('longer words that contain a banned one are allowed', () => {
  expect(found('// A planet, newsletters, Math.floor and bedrooms; brush the besides.')).toEqual([]);
});
