import { expect, test } from 'vitest';
import { processesOf } from './processes.ts';
import { readSettings } from './settings.ts';

const linux = { given: undefined, role: 'all', platform: 'linux', cores: 8 } as const;

test('a node has one process for each core, at most four, from four cores on', () => {
  expect([1, 2, 3, 4, 5, 64].map((cores) => processesOf({ ...linux, cores }))).toEqual([1, 1, 1, 4, 4, 4]);
});

test('a node with the role worker, or on a kernel that does not spread connections, is one process', () => {
  expect(processesOf({ ...linux, role: 'api' })).toBe(4);
  expect(processesOf({ ...linux, role: 'worker' })).toBe(1);
  expect(processesOf({ ...linux, platform: 'darwin' })).toBe(1);
  expect(() => processesOf({ ...linux, given: 2, role: 'worker' })).toThrow('app.processes must be 1 where app.role');
  expect(() => processesOf({ ...linux, given: 2, platform: 'darwin' })).toThrow('app.processes must be 1 here');
  expect(processesOf({ ...linux, given: 1, platform: 'darwin', role: 'worker' })).toBe(1);
});

test.each(['0', '65', 'x', '1.5'])('app.processes=%s is refused by name', (value) => {
  expect(() => readSettings({ APP_PROCESSES: value }, undefined)).toThrow(
    `APP_PROCESSES must be an integer from 1 to 64, not "${value}"`,
  );
});
