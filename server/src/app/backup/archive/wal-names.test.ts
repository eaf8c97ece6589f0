import { expect, test } from 'vitest';
import { parseHistory, parseSegmentName, segmentName, segmentOf, startOf, timelineOfHistory } from './wal-names.ts';

const segmentBytes = 16 * 1024 * 1024;

test.each([
  [1, 1, '000000010000000000000001'],
  [1, 255, '0000000100000000000000FF'],
  [2, 256, '000000020000000100000000'],
  [26, 70_000, '0000001A0000011100000070'],
])('segment %i of timeline %i has the name that PostgreSQL gives it', (timeline, number, name) => {
  expect(segmentName({ timeline, number }, segmentBytes)).toBe(name);
  expect(parseSegmentName(name, segmentBytes)).toEqual({ timeline, number });
});

test('a position is in the segment that begins at or before it', () => {
  expect(segmentOf('0/16B3748', segmentBytes)).toBe(1);
  expect(segmentOf('1/0', segmentBytes)).toBe(256);
  expect(startOf(256, segmentBytes)).toBe('1/0');
  expect(startOf(3, segmentBytes)).toBe('0/3000000');
});

test('other files are neither segments nor histories', () => {
  for (const name of ['archive_status', '000000010000000000000001.partial', '00000002.history.gz', '']) {
    expect(parseSegmentName(name, segmentBytes)).toBeUndefined();
    expect(timelineOfHistory(name)).toBeUndefined();
  }
  expect(timelineOfHistory('0000001A.history')).toBe(26);
});

test('a history names where each timeline left the one before', () => {
  const text = '1\t0/5000028\tbefore 2026-11-28 02:00:00+00\n\n2\t0/9000110\tno recovery target specified\n';
  expect(parseHistory(text)).toEqual([
    { from: 1, at: '0/5000028' },
    { from: 2, at: '0/9000110' },
  ]);
});
