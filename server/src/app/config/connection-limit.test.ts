import { expect, test } from 'vitest';
import { connectionLimitOf } from './connection-limit.ts';

test('connections leave a quarter of the files that the process may open, whatever the setting says', () => {
  const settings = { 'app.server.connections': 40_000 };
  expect(connectionLimitOf(settings, 65_536)).toBe(40_000);
  expect(connectionLimitOf(settings, 4_096)).toBe(3_072);
  expect(connectionLimitOf({ 'app.server.connections': 100 }, 4_096)).toBe(100);
  expect(connectionLimitOf(settings)).toBeGreaterThan(0);
});
