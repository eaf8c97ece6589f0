import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const settings = join(import.meta.dirname, 'heap-settings.ts');
const program = join(import.meta.dirname, 'fixture', 'classes-at-rest.ts');

test('a process that rested still has its optimized code, and never loses the class of the objects of nextTick', () => {
  const flags = ['--expose-gc', '--allow-natives-syntax'];
  const optimized = (...more: string[]) =>
    JSON.parse(execFileSync(process.execPath, [...flags, ...more, program], { encoding: 'utf8' }));
  const all = ['point', 'tick'];
  expect(optimized()).toEqual({ before: all, afterCollections: [], afterLastResort: [] });
  expect(optimized('--import', settings)).toEqual({ before: all, afterCollections: all, afterLastResort: ['tick'] });
});
