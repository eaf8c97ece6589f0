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

test('a line that is not JSON is shown unchanged', () => {
  expect(readableLine('Florin is ready at http://127.0.0.1:8080')).toBe('Florin is ready at http://127.0.0.1:8080');
  expect(readableLine('{broken')).toBe('{broken');
});
