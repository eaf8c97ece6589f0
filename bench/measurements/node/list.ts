import type { Bench, FilledShop, Line } from '../../bench.ts';
import { type Filled, filledDays } from '../../fill.ts';
import { milliseconds, powerOfTen } from '../../report/format.ts';
import { get } from '../../requests.ts';
import { type Comparison, interleave, type Sample, type Side } from '../../rounds.ts';
import type { Shop } from '../../shop.ts';

const rounds = 7;
const smallRows = 10_000;
const pageSize = 20;
/** One request at a time over one connection, because latency is measured and not throughput. */
const sequential = { connections: 1, seconds: 0.25, warmUpSeconds: 0.05 };

/** Compares page 1 of the list with its exact total on a full and on a small table, and the last page with page 1. */
export async function list(bench: Bench): Promise<Line[]> {
  const [full, small] = [await bench.fullShop(), await bench.smallShop(smallRows)];
  return [
    await compareFilters(bench, full, small),
    await compareLastPage(bench, full, 'no filter', ''),
    await compareLastPage(bench, full, 'status', 'status=SUCCESS'),
  ];
}

/** Measures every filter on both tables; the result is the worst ratio. */
async function compareFilters(bench: Bench, full: FilledShop, small: FilledShop): Promise<Line> {
  const names = filters(full.filled).map(({ name }) => name);
  const sides = [full, small].map(({ shop, filled }) =>
    filters(filled).map(({ name, query }) => latencySide(bench, shop, name, query)),
  );
  const compared: { name: string; comparison: Comparison; ratio: number }[] = [];
  for (const [i, name] of names.entries()) {
    const comparison = await interleave(rounds, [sides[0]?.[i] as Side, sides[1]?.[i] as Side]);
    compared.push({ name, comparison, ratio: comparison.ratios[1] as number });
  }
  const worst = compared.toSorted((a, b) => b.ratio - a.ratio)[0] as (typeof compared)[0];
  const [ours, against] = worst.comparison.series;
  return {
    measurement: 'list',
    what: `list page 1 with its total, worst filter: ${powerOfTen(full.filled.rows)} rows ÷ ${powerOfTen(smallRows)}`,
    ours: milliseconds(ours?.median as number),
    against: milliseconds(against?.median as number),
    figure: worst.ratio,
    goal: { atMost: 1.5 },
    comment: `worst: ${worst.name}; ${compared
      .map(
        ({ name, comparison, ratio }) =>
          `${name} ${milliseconds(comparison.series[0]?.median as number)} (${ratio.toFixed(2)})`,
      )
      .join(', ')}`,
  };
}

/** Compares the last page with page 1. The comment has the slowest page, which lies in the middle of a day. */
async function compareLastPage(bench: Bench, { shop, filled }: FilledShop, name: string, query: string): Promise<Line> {
  const total = await totalOf(shop, query);
  const pages = Math.ceil(total / pageSize);
  // Half a day after the middle of the table: the rollup cannot skip rows of that half day.
  const middle = Math.floor(pages / 2 + pages / filledDays / 2);
  const page = (number: number) => `${query}${query === '' ? '' : '&'}page=${number}`;
  const { series, ratios, otherCpus } = await interleave(rounds, [
    latencySide(bench, shop, 'last page', page(pages)),
    latencySide(bench, shop, 'page 1', page(1)),
    latencySide(bench, shop, 'middle of a day', page(middle)),
  ]);
  return {
    measurement: 'list',
    what: `list, last page ÷ page 1, ${name}, ${powerOfTen(filled.rows)} rows`,
    ours: milliseconds(series[0]?.median as number),
    against: milliseconds(series[1]?.median as number),
    figure: ratios[1] as number,
    goal: { atMost: 3 },
    comment:
      `page ${pages}; a page from the middle of a day ${milliseconds(series[2]?.median as number)}; ` +
      `others used ${otherCpus.toFixed(2)} CPU`,
  };
}

/** The median latency of a list request. */
function latencySide(bench: Bench, { service, merchant }: Shop, name: string, query: string): Side {
  const requests = [get(`/api/transaction/list?pageSize=${pageSize}&${query}`, merchant.key)];
  return {
    name,
    run: async (): Promise<Sample> => {
      const { medianMs, failures } = await bench.load({ port: service.port, requests, ...sequential });
      if (failures > 0) throw new Error(`${failures} list requests failed.`);
      return { value: medianMs };
    },
  };
}

async function totalOf({ service, merchant }: Shop, query: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${service.port}/api/transaction/list?pageSize=1&${query}`, {
    headers: { authorization: `ApiKey ${merchant.key}` },
  });
  const reply = (await response.json()) as { pagination: { total: number } };
  return reply.pagination.total;
}

/** Every filter of the API, and the pairs that read different groups. */
function filters({ channelIds, userIds }: Filled): { name: string; query: string }[] {
  const channel = `channelId=${channelIds[1]}`;
  const user = `userId=${userIds[1]}`;
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  return [
    { name: 'none', query: '' },
    { name: 'status', query: 'status=SUCCESS' },
    { name: 'channel', query: channel },
    { name: 'user', query: user },
    { name: 'status + channel', query: `status=SUCCESS&${channel}` },
    { name: 'channel + user', query: `${channel}&${user}` },
    { name: 'dates', query: `startDate=${day(200)}&endDate=${day(170)}` },
  ];
}
