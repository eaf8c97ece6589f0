import type { Bench, Line } from '../../bench.ts';
import { cpuComment, perSecond, powerOfTen } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, type Sample } from '../../rounds.ts';
import type { Shop } from '../../shop.ts';

/** Many short rounds, because the machine drifts by more than the expected difference. */
const rounds = 7;
const roundSeconds = 2;
/**
 * A process that has served no creates runs them slowly at first, and in a whole run only the empty table's has served
 * any.
 */
const warmUpSeconds = 20;

/** Compares creates per second on a table with a year of payments with those on an empty table. */
export async function fullTable(bench: Bench): Promise<Line[]> {
  const { shop: full, filled } = await bench.fullShop();
  const empty = await bench.emptyShop();
  const creates = ({ service, merchant, channelId }: Shop, seconds: number): Promise<Sample> =>
    bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId), seconds }, () => service.cpu());
  for (const shop of [full, empty]) await creates(shop, warmUpSeconds);
  const { series, ratios, otherCpus } = await interleave(rounds, [
    { name: 'full', run: () => creates(full, roundSeconds) },
    {
      name: 'empty',
      run: async () => {
        await empty.service.empty();
        return creates(empty, roundSeconds);
      },
    },
  ]);
  const [ours, against] = series;
  return [
    {
      measurement: 'full-table',
      what: `creates with ${powerOfTen(filled.rows)} rows ÷ empty`,
      ours: perSecond(ours?.median),
      against: perSecond(against?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.95 },
      comment: cpuComment(series, otherCpus),
    },
  ];
}
