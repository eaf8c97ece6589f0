import { expect, test } from 'vitest';
import { fallenChannels } from '../src/pages/home/fallen-channels.ts';

const row = (day: string, succeeded: number, failed: number, channelId = 1) => ({
  day,
  channelId,
  channelName: `Channel ${channelId}`,
  charges: { succeeded, failed, cancelled: 5 },
});

test.each([
  ['ten points less', [row('2026-03-01', 90, 10), row('2026-03-08', 80, 20)], 1],
  ['less than ten points', [row('2026-03-01', 90, 10), row('2026-03-08', 81, 19)], 0],
  ['few charges now', [row('2026-03-01', 90, 10), row('2026-03-08', 0, 19)], 0],
  ['few charges before', [row('2026-03-01', 19, 0), row('2026-03-08', 0, 40)], 0],
  ['two days together', [row('2026-03-01', 20, 0), row('2026-03-08', 0, 10), row('2026-03-09', 15, 0)], 1],
  ['another channel', [row('2026-03-01', 20, 0, 1), row('2026-03-08', 0, 20, 2)], 0],
])('a channel is named when its success has fallen by ten points, from 20 charges on: %s', (_what, rows, count) => {
  expect(fallenChannels(rows, '2026-03-08')).toHaveLength(count);
});
