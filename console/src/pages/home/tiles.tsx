import { Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StatisticsSummary } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { useMay } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { busiestFirst } from './currencies.ts';
import { dayOf } from './days.ts';

/** Volume, success rate, pending payments and failed deliveries of the last seven days. */
export function Tiles() {
  const text = useText();
  const { locale } = usePreferences();
  const mayReadWebhooks = useMay('webhook_read');
  const week = { startDate: dayOf(-6), endDate: dayOf(0) };
  const read = useRead('statistics.summary', week);
  const summary = read.data?.data;
  const paid = summary?.statuses.filter(({ status }) => status === 'SUCCESS' || status === 'REFUNDED') ?? [];
  const pending = summary?.statuses.filter(({ status }) => status === 'PENDING' || status === 'PROCESSING') ?? [];
  const pendingCount = pending.reduce((sum, { count }) => sum + count, 0);
  /** The status that most of them have. */
  const pendingStatus = pending.toSorted((a, b) => b.count - a.count)[0]?.status ?? 'PENDING';
  const volumes = volumesOf(paid);
  const ended = summary?.charges ? summary.charges.succeeded + summary.charges.failed : 0;
  const numbers = new Intl.NumberFormat(locale);
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  if (summary === undefined && read.error !== null) {
    return <ErrorNote error={read.error} onRetry={() => read.refetch()} />;
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      <Tile label={text('home.volume')} isLoading={summary === undefined}>
        {volumes.length === 0 ? (
          '–'
        ) : (
          <SimpleGrid cols={volumes.length > 3 ? 2 : 1} spacing="xs" verticalSpacing={0}>
            {volumes.map(({ currency, amount }) => (
              <Text
                key={currency}
                component="div"
                inherit={volumes.length < 3}
                size={volumes.length > 3 ? 'xs' : 'sm'}
                fw={600}
              >
                <Money amount={amount} currency={currency} />
              </Text>
            ))}
          </SimpleGrid>
        )}
      </Tile>
      <Tile
        label={text('home.success')}
        isLoading={summary === undefined}
        note={summary && (ended === 0 ? text('home.noCharges') : text('home.ofCharges', { n: numbers.format(ended) }))}
      >
        {ended === 0 ? '–' : shares.format((summary?.charges?.succeeded ?? 0) / ended)}
      </Tile>
      <Tile
        label={text('home.pending')}
        isLoading={summary === undefined}
        note={
          pendingCount === 0 ? undefined : (
            <LinkText href={`/payments?status=${pendingStatus}`}>{text('home.show')}</LinkText>
          )
        }
      >
        {numbers.format(pendingCount)}
      </Tile>
      {mayReadWebhooks && <FailedDeliveries startDate={week.startDate} />}
    </SimpleGrid>
  );
}

function FailedDeliveries({ startDate }: { startDate: string }) {
  const text = useText();
  const query = { state: 'FAILED', startDate, pageSize: 100 };
  const failed = useRead('webhooks.deliveries.list', query, { pollMs: 15_000 }).data;
  const count = failed?.data.length ?? 0;
  return (
    <Tile
      label={text('home.failedDeliveries')}
      isLoading={failed === undefined}
      note={
        count === 0 ? undefined : (
          <LinkText href={`/deliveries?state=FAILED&startDate=${startDate}`}>{text('home.show')}</LinkText>
        )
      }
    >
      {failed?.pagination?.nextCursor ? `${count}+` : count}
    </Tile>
  );
}

interface TileProps {
  label: string;
  isLoading: boolean;
  note?: ReactNode;
  children: ReactNode;
}

function Tile({ label, isLoading, note, children }: TileProps) {
  return (
    <Paper withBorder p="md" style={{ overflow: 'hidden' }}>
      <Stack gap={2}>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        {isLoading ? (
          <Skeleton height={28} width="60%" my={4} />
        ) : (
          <Text component="div" size="xl" fw={600} lh={1.35}>
            {children}
          </Text>
        )}
        <Text component="div" size="xs" c="dimmed">
          {note}
        </Text>
      </Stack>
    </Paper>
  );
}

/** Per currency, because amounts of different currencies cannot be added. */
function volumesOf(statuses: StatisticsSummary['statuses']): { currency: string; amount: bigint }[] {
  const all = statuses.flatMap(({ amounts }) => amounts);
  return busiestFirst(all).map((currency) => {
    const own = all.filter((one) => one.currency === currency);
    return { currency, amount: own.reduce((sum, { amount }) => sum + BigInt(amount), 0n) };
  });
}
