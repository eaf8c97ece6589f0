import { SimpleGrid, Text } from '@mantine/core';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Facts } from '../../ui/records/facts.tsx';

/** What subscriptions bring in a month, and how many began and ended in the last 30 days (UTC), by currency. */
export function SubscriptionTotals({ customerId }: { customerId?: number }) {
  const text = useText();
  const { locale } = usePreferences();
  const { data } = useRead('subscriptions.summary', { customerId });
  const currencies = data?.data.currencies ?? [];
  if (data === undefined || currencies.length === 0) return null;
  const numbers = new Intl.NumberFormat(locale);
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const { startDate, endDate } = data.data;
  return (
    <div>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: currencies.length > 2 ? 3 : 2 }} spacing="sm">
        {currencies.map(({ currency, active, begun, ended, monthlyAmount }) => (
          <Facts
            key={currency}
            facts={[
              [text('subscriptions.monthly'), <Money key="monthly" amount={monthlyAmount} currency={currency} />],
              [text('subscriptions.active'), numbers.format(active)],
              [text('subscriptions.begun'), numbers.format(begun)],
              [text('subscriptions.endedCount'), numbers.format(ended)],
            ]}
          />
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={4}>
        {text('subscriptions.days', { range: days.formatRange(Date.parse(startDate), Date.parse(endDate)) })}
      </Text>
    </div>
  );
}
