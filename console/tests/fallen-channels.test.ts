import { expect, test } from 'vitest';
import { fallenChannels } from '../src/pages/home/fallen-channels.ts';

const rates = (succeeded: number, failed: number) => ({
  charges: { succeeded, failed },
  successRate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
});

test.each([
  ['ten points less', rates(90, 10), rates(80, 20), 1],
  ['less than ten points', rates(90, 10), rates(81, 19), 0],
  ['few charges now', rates(90, 10), rates(0, 19), 0],
  ['few charges before', rates(19, 0), rates(0, 40), 0],
  ['no charges now', rates(90, 10), rates(0, 0), 0],
  ['better than before', rates(80, 20), rates(100, 0), 0],
])(
  'a channel is named when its success has fallen by ten points, from 20 charges on: %s',
  (_what, before, recent, count) => {
    expect(fallenChannels([{ channelId: 1, channelName: 'Cards', recent, before }])).toHaveLength(count);
  },
);
