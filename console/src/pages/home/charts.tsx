import { decimalOf } from '@florin/server/core/money.ts';
import { Select, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import type { StatisticsRow } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Chart, type Series } from './chart.tsx';
import { busiestFirst } from './currencies.ts';
import { type DayRange, eachDayOf } from './range.ts';

/** Volume, success rate and payments per channel, by UTC day. */
export function Charts({ range: { startDate, endDate } }: { range: DayRange }) {
  const text = useText();
  const { locale } = usePreferences();
  const range = { startDate, endDate };
  const total = useRead('statistics.series', range).data?.data;
  const byStatus = useRead('statistics.series', { ...range, groupBy: 'status' }).data?.data;
  const byChannel = useRead('statistics.series', { ...range, groupBy: 'channel' }).data?.data;
  const [chosen, setChosen] = useState<string | null>(null);
  if (total === undefined || byStatus === undefined || byChannel === undefined) return null;
  if (total.every(({ count }) => count === 0)) return null;

  const paid = byStatus.filter(({ status }) => status === 'SUCCESS' || status === 'REFUNDED');
  const currencies = busiestFirst(paid.flatMap(({ amounts }) => amounts));
  const currency = chosen ?? currencies[0] ?? 'USD';
  const axis = eachDayOf(range);
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const numbers = new Intl.NumberFormat(locale);
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="sm">
      <Chart
        title={text('home.volumeByDay')}
        days={axis}
        series={[{ label: currency, values: volumeOf(paid, axis, currency) }]}
        shown={(value) => moneyText(Math.round(value * 10 ** digitsOf(currency)), currency, locale)}
        controls={
          currencies.length > 1 && (
            <Select
              size="xs"
              w={86}
              aria-label={text('ledger.currency')}
              data={currencies}
              value={currency}
              onChange={setChosen}
              allowDeselect={false}
            />
          )
        }
      />
      <Chart
        title={text('home.successByDay')}
        days={axis}
        series={[{ label: text('home.success'), values: successOf(total, axis) }]}
        shown={(value) => shares.format(value)}
        range={[0, 1]}
      />
      <Chart
        title={text('home.countByChannel')}
        days={axis}
        series={countsByChannel(byChannel, axis, (n) => text('home.otherChannels', { n }))}
        shown={(value) => numbers.format(value)}
      />
    </SimpleGrid>
  );
}

const digitsOf = (currency: string) => (decimalOf(0, currency).split('.')[1] ?? '').length;

/** In major units, as numbers: a chart needs no more precision than its pixels. */
function volumeOf(points: readonly StatisticsRow[], axis: readonly string[], currency: string): number[] {
  const byDay = new Map<string, bigint>();
  for (const { day, amounts } of points) {
    const amount = amounts.find((one) => one.currency === currency)?.amount ?? '0';
    byDay.set(day, (byDay.get(day) ?? 0n) + BigInt(amount));
  }
  return axis.map((day) => Number(decimalOf(byDay.get(day) ?? 0n, currency)));
}

/** Null on a day without charges. */
function successOf(points: readonly StatisticsRow[], axis: readonly string[]): (number | null)[] {
  const byDay = new Map(points.map(({ day, successRate }) => [day, successRate]));
  return axis.map((day) => byDay.get(day) ?? null);
}

/** More lines than this cannot be told apart, so the channels with the fewest payments share the last line. */
const maxLines = 6;

function countsByChannel(
  points: readonly StatisticsRow[],
  axis: readonly string[],
  nameOfOthers: (channels: string) => string,
): Series[] {
  const rows = Object.values(Object.groupBy(points, ({ channelId }) => String(channelId))) as StatisticsRow[][];
  const busiest = rows.toSorted((a, b) => countOf(b) - countOf(a));
  const single = busiest.length <= maxLines ? busiest : busiest.slice(0, maxLines - 1);
  const others = busiest.slice(single.length);
  const lines = single.map((own) => ({ label: own[0]?.channelName ?? '', values: countsByDay(own, axis) }));
  if (others.length === 0) return lines;
  return [...lines, { label: nameOfOthers(String(others.length)), values: countsByDay(others.flat(), axis) }];
}

const countOf = (points: readonly StatisticsRow[]) => points.reduce((sum, { count }) => sum + count, 0);

const countsByDay = (points: readonly StatisticsRow[], axis: readonly string[]) =>
  axis.map((day) => countOf(points.filter((point) => point.day === day)));
