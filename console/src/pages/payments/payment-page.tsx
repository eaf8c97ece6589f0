import { Grid, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../../api/hooks.ts';
import type { Payment } from '../../api/records.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { CodeBlock, Copyable } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PaymentTimeline } from './payment-timeline.tsx';

export default function PaymentPage({ id }: { id: string }) {
  const text = useText();
  const payment = useRead<Payment>('/api/transaction/detail', { id });
  if (payment.data === undefined) {
    return (
      <Page title={text('payment.title')}>
        <ErrorNote error={payment.error} onRetry={() => payment.refetch()} />
      </Page>
    );
  }
  const record = payment.data.data;
  return (
    <Page title={text('payment.title')} beside={<StatusBadge status={record.status} />}>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title={text('payment.timeline')}>
            <PaymentTimeline id={id} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <PaymentFacts payment={record} />
            {record.metadata !== null && (
              <Section title={text('payment.metadata')}>
                <CodeBlock value={JSON.stringify(record.metadata, null, 2)} />
              </Section>
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function PaymentFacts({ payment }: { payment: Payment }) {
  const text = useText();
  const { currency } = payment;
  return (
    <Section title={text('payment.facts')}>
      <Facts
        facts={[
          ['ID', <Copyable key="id" value={payment.id} />],
          [text('payments.amount'), <Money key="amount" amount={payment.amount} currency={currency} />],
          [
            text('payment.refunded'),
            payment.amountRefunded > 0 && <Money key="refunded" amount={payment.amountRefunded} currency={currency} />,
          ],
          [text('payments.channel'), payment.channelName],
          [text('payments.description'), payment.description],
          [
            text('payment.customer'),
            payment.customerId !== null && (
              <Link key="customer" href={`/customers/${payment.customerId}`}>
                {payment.customerId}
              </Link>
            ),
          ],
          [
            text('payment.failure'),
            payment.failureCode &&
              `${payment.failureCode}${payment.failureMessage ? ` · ${payment.failureMessage}` : ''}`,
          ],
          [
            text('payment.reference'),
            payment.providerReference && <Copyable key="reference" value={payment.providerReference} />,
          ],
          [text('payments.created'), <Time key="created" value={payment.createdTime} precise />],
          [text('payment.updated'), <Time key="updated" value={payment.updatedTime} precise />],
        ]}
      />
    </Section>
  );
}
