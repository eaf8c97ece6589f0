import { expect, test } from 'vitest';
import { readArguments } from './arguments.ts';

const read = (...words: string[]) =>
  readArguments(words, 'Usage: npm run backup -- DIR\n', ['data-dir'], { operands: ['DIR'] });

test('an empty folder is refused: it would be the current one', () => {
  expect(read('')).toEqual({ exitCode: 2 });
  expect(read('backups', '--data-dir', '')).toEqual({ exitCode: 2 });
  expect(read('backups', '--data-dir=')).toEqual({ exitCode: 2 });
  expect(read('backups', '--data-dir', 'data')).toMatchObject({
    operands: ['backups'],
    given: { 'data-dir': ['data'] },
  });
});
