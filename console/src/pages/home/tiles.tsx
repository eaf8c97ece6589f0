import { Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StatisticsSummary } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { useMay } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { busiestFirst } from './currencies.ts';
import { type DayRange, daysBefore } from './range.ts';

/** Volume, success rate, pending payments and failed deliveries of some days, beside those of as many days before. */
export function Tiles({ range }: { range: DayRange }) {
  const text = useText();
  const { locale } = usePreferences();
  const mayReadWebhooks = useMay('webhook_read');
  const read = useRead('statistics.summary', { ...range });
  const summary = read.data?.data;
  const before = useRead('statistics.summary', { ...daysBefore(range) }).data?.data;
  const paid = paidIn(summary);
  const volumesBefore = new Map(volumesOf(paidIn(before)).map(({ currency, amount }) => [currency, amount]));
  const volumes = volumesOf(paid);
  // A currency in which nothing was paid any more is a change too.
  for (const currency of volumesBefore.keys()) {
    if (!volumes.some((one) => one.currency === currency)) volumes.push({ currency, amount: 0n });
  }
  const pending = summary?.statuses.filter(({ status }) => status === 'PENDING' || status === 'PROCESSING') ?? [];
  const pendingCount = pending.reduce((sum, { count }) => sum + count, 0);
  const [ended, endedBefore] = [endedIn(summary), endedIn(before)];
  const numbers = new Intl.NumberFormat(locale);
  const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  if (summary === undefined && read.error !== null) {
    return <ErrorNote error={read.error} onRetry={() => read.refetch()} />;
  }
  const days = `startDate=${range.startDate}&endDate=${range.endDate}`;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      <Tile
        label={text('home.volume')}
        isLoading={summary === undefined}
        note={<StatusLinks statuses={paid} days={days} />}
      >
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
                <Change now={Number(amount)} before={before && Number(volumesBefore.get(currency) ?? 0n)} />
              </Text>
            ))}
          </SimpleGrid>
        )}
      </Tile>
      <Tile
        label={text('home.success')}
        isLoading={summary === undefined}
        note={
          summary && (
            <Group gap="xs">
              {ended === 0 ? text('home.noCharges') : text.count('home.ofCharges', ended)}
              {ended > 0 && <LinkText href={`/payments?status=FAILED&${days}`}>{text('home.showFailed')}</LinkText>}
            </Group>
          )
        }
      >
        {ended === 0 ? '–' : shares.format((summary?.charges?.succeeded ?? 0) / ended)}
        {ended > 0 && endedBefore > 0 && (
          <Points
            points={(summary?.charges?.succeeded ?? 0) / ended - (before?.charges?.succeeded ?? 0) / endedBefore}
          />
        )}
      </Tile>
      <Tile
        label={text('home.pending')}
        isLoading={summary === undefined}
        note={<StatusLinks statuses={pending} days={days} />}
      >
        {numbers.format(pendingCount)}
      </Tile>
      {mayReadWebhooks && <FailedDeliveries range={range} />}
    </SimpleGrid>
  );
}

/** The payments that a tile counts, by status: a list has those of one status. */
function StatusLinks({ statuses, days }: { statuses: StatisticsSummary['statuses']; days: string }) {
  const text = useText();
  const { locale } = usePreferences();
  const numbers = new Intl.NumberFormat(locale);
  return (
    <Group gap="xs">
      {statuses
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => (
          <LinkText key={status} href={`/payments?status=${status}&${days}`}>
            {`${text(`status.${status}` as TextKey)}: ${numbers.format(count)}`}
          </LinkText>
        ))}
    </Group>
  );
}

function FailedDeliveries({ range }: { range: DayRange }) {
  const text = useText();
  const options = { pollMs: 15_000 };
  const failed = useRead('webhooks.deliveries.list', { state: 'FAILED', ...range, pageSize: 100 }, options).data;
  const earlier = useRead('webhooks.deliveries.list', { state: 'FAILED', ...daysBefore(range), pageSize: 100 }).data;
  const count = failed?.data.length ?? 0;
  const isCounted = !failed?.pagination?.nextCursor && !earlier?.pagination?.nextCursor;
  return (
    <Tile
      label={text('home.failedDeliveries')}
      isLoading={failed === undefined}
      note={
        count === 0 ? undefined : (
          <LinkText href={`/deliveries?state=FAILED&startDate=${range.startDate}&endDate=${range.endDate}`}>
            {text('home.show')}
          </LinkText>
        )
      }
    >
      {failed?.pagination?.nextCursor ? `${count}+` : count}
      {isCounted && <Change now={count} before={earlier?.data.length} isGood={false} />}
    </Tile>
  );
}

interface ChangeProps {
  now: number;
  /** Undefined: not known yet. */
  before: number | undefined;
  /** Whether more is better. */
  isGood?: boolean;
}

/** How much more or less than in the days before. Nothing without a number before, which has no percentage. */
function Change({ now, before, isGood = true }: ChangeProps) {
  const text = useText();
  const { locale } = usePreferences();
  if (before === undefined || (before === 0 && now === 0)) return null;
  const share = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const shown = before === 0 ? text('home.noneBefore') : share.format((now - before) / before);
  return <Trend shown={shown} direction={Math.sign(now - before) * (isGood ? 1 : -1)} />;
}

/** The change of a share, in percentage points. */
function Points({ points }: { points: number }) {
  const text = useText();
  const { locale } = usePreferences();
  const rounded = Math.round(points * 1_000) / 10;
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  return <Trend shown={text('home.points', { n: numbers.format(rounded) })} direction={Math.sign(rounded)} />;
}

function Trend({ shown, direction }: { shown: string; direction: number }) {
  const text = useText();
  const color = direction > 0 ? 'green' : 'red';
  return (
    <>
      {/* Where the line may end. */}{' '}
      <Text
        span
        size="xs"
        fw={500}
        c={direction === 0 ? 'dimmed' : `var(--mantine-color-${color}-light-color)`}
        title={text('home.comparedWith')}
        style={{ whiteSpace: 'nowrap' }}
      >
        {shown}
      </Text>
    </>
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

const paidIn = (summary: StatisticsSummary | undefined) =>
  summary?.statuses.filter(({ status }) => status === 'SUCCESS' || status === 'REFUNDED') ?? [];

const endedIn = (summary: StatisticsSummary | undefined) =>
  summary?.charges ? summary.charges.succeeded + summary.charges.failed : 0;

/** Per currency, because amounts of different currencies cannot be added. */
function volumesOf(statuses: StatisticsSummary['statuses']): { currency: string; amount: bigint }[] {
  const all = statuses.flatMap(({ amounts }) => amounts);
  return busiestFirst(all).map((currency) => {
    const own = all.filter((one) => one.currency === currency);
    return { currency, amount: own.reduce((sum, { amount }) => sum + BigInt(amount), 0n) };
  });
}
