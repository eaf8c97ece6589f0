import { expect, test } from 'vitest';
import { mergedMetrics } from './merged-metrics.ts';

test('samples of a metric are together, each with its process, also where one process lacks a metric', () => {
  const one = [
    '# HELP seconds Time.',
    '# TYPE seconds counter',
    'seconds 1',
    '',
    '# HELP open Open.',
    '# TYPE open gauge',
    'open{a="x y{"} 2',
    '',
  ];
  const two = ['# HELP seconds Time.', '# TYPE seconds counter', 'seconds 3', ''];
  const merged = mergedMetrics([
    { process: 1, text: one.join('\n') },
    { process: 2, text: two.join('\n') },
  ]);
  expect(merged.split('\n')).toEqual([
    '# HELP seconds Time.',
    '# TYPE seconds counter',
    'seconds{process="1"} 1',
    'seconds{process="2"} 3',
    '',
    '# HELP open Open.',
    '# TYPE open gauge',
    'open{process="1",a="x y{"} 2',
    '',
  ]);
});
