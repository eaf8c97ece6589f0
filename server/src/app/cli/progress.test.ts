import { expect, test } from 'vitest';
import { usageAs, verifyUsage } from './arguments.ts';
import { barOf } from './progress.ts';

test('a bar shows the share of the work that is done', () => {
  expect(barOf(0)).toBe(`[${'-'.repeat(24)}]   0 %`);
  expect(barOf(0.25)).toBe(`[######${'-'.repeat(18)}]  25 %`);
  expect(barOf(2)).toBe(`[${'#'.repeat(24)}] 100 %`);
  // Of an empty table.
  expect(barOf(0 / 0)).toContain('  0 %');
});

test('a usage names the command by which it was called', () => {
  expect(usageAs('verify.ts', verifyUsage)).toBe(verifyUsage);
  for (const program of ['florin', 'florin.mjs']) {
    const usage = usageAs(program, verifyUsage);
    expect(usage).toContain('Usage: florin verify [--audit-head');
    expect(usage).toContain('the settings of florin start');
    expect(usage).not.toContain('npm');
  }
});
