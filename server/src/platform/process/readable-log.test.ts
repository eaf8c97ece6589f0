import { expect, test } from 'vitest';
import { readableLine } from './readable-log.ts';

test('a line of the log is shown as time, level, message and facts', () => {
  const line =
    '{"level":"info","time":"2026-03-31T09:30:00.500Z","path":"/api/user/login","took":"2 ms","msg":"Answered"}';
  expect(readableLine(line)).toBe('09:30:00.500 info  Answered path=/api/user/login took="2 ms"');
});

test('an error is shown with its stack below the line', () => {
  const line =
    '{"level":"error","time":"2026-03-31T09:30:00.500Z","error":{"stack":"Error: x\\n    at y"},"msg":"Failed"}';
  expect(readableLine(line)).toBe('09:30:00.500 error Failed\n    Error: x\n        at y');
});

test('what acts on a terminal is not shown', () => {
  const hostile = 'Acme\u001b[2J\u009b31m\u202e';
  const entry = {
    level: 'info',
    time: '2026-03-31T09:30:00.500Z',
    name: hostile,
    more: `x ${hostile}`,
    error: { stack: hostile },
  };
  const shown = readableLine(JSON.stringify({ ...entry, msg: hostile }));
  expect(shown).toContain('Acme');
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});

test('a line that is not JSON is shown unchanged', () => {
  expect(readableLine('Florin is ready at http://127.0.0.1:8080')).toBe('Florin is ready at http://127.0.0.1:8080');
  expect(readableLine('{broken')).toBe('{broken');
});
