import { useDisclosure } from '@mantine/hooks';
import { Fragment } from 'react';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { InvoicesSection } from '../invoices/invoices-section.tsx';
import { CustomerMethods } from '../methods/customer-methods.tsx';
import { usePaymentColumns } from '../payments/payment-columns.tsx';
import { RecordPaymentModal } from '../payments/record-payment-modal.tsx';
import { useSubscriptionColumns } from '../subscriptions/subscription-columns.tsx';
import { SubscriptionTotals } from '../subscriptions/subscription-totals.tsx';
import { CustomerModal } from './customer-modal.tsx';
import { PortalLink } from './portal-link.tsx';

export default function CustomerPage({ id }: { id: string }) {
  const text = useText();
  const [isEditing, { open, close }] = useDisclosure(false);
  const [isRecording, { open: openRecord, close: closeRecord }] = useDisclosure(false);
  const read = useRead('customers.get', { id });
  return (
    <RecordPage title={text('customers.one')} listPath="/customers" read={read}>
      {(customer) => (
        <Page
          title={customer.name}
          actions={
            <>
              <PortalLink customerId={customer.id} />
              <PermittedButton needs="transaction_write" variant="default" onClick={openRecord}>
                {text('recordPayment.title')}
              </PermittedButton>
              <PermittedButton needs="transaction_write" variant="default" onClick={open}>
                {text('common.edit')}
              </PermittedButton>
            </>
          }
        >
          <Facts
            facts={[
              ['ID', customer.id],
              [text('customers.email'), customer.email],
              [text('customers.phone'), customer.phone],
              [text('customers.externalId'), customer.externalId],
              [text('customers.address'), customer.address && Object.values(customer.address).join(', ')],
              [text('customers.spend'), <Spend key="spend" customerId={customer.id} />],
              [text('customers.openBalance'), <OpenBalance key="open" customerId={customer.id} />],
              [text('payments.created'), <Time key="created" value={customer.createdTime} />],
            ]}
          />
          {customer.metadata !== null && <CodeBlock value={JSON.stringify(customer.metadata, null, 2)} />}
          <CustomerMethods customer={customer} />
          <CustomerPayments customerId={customer.id} />
          <InvoicesSection query={{ customerId: customer.id }} empty={text('invoices.none')} />
          <CustomerSubscriptions customerId={customer.id} />
          <RecordPaymentModal of={{ customerId: customer.id }} opened={isRecording} onClose={closeRecord} />
          <CustomerModal customer={customer} opened={isEditing} onClose={close} />
        </Page>
      )}
    </RecordPage>
  );
}

const mostOpen = 100;
const mostPaid = 100;

/** What the customer has paid, without what was given back, by currency; of so many payments at most. */
function Spend({ customerId }: { customerId: number }) {
  const query = { customerId, pageSize: mostPaid };
  const paid = useRead('transactions.list', { ...query, status: 'SUCCESS' }).data?.data;
  const refunded = useRead('transactions.list', { ...query, status: 'REFUNDED' }).data?.data;
  if (paid === undefined || refunded === undefined || paid.length + refunded.length === 0) return '–';
  const amounts = [...paid, ...refunded].map(({ amount, amountRefunded, currency }) => ({
    amount: amount - amountRefunded,
    currency,
  }));
  return (
    <LinkText href={`/payments?status=SUCCESS&customerId=${customerId}`}>
      <Sums amounts={amounts} />
      {(paid.length === mostPaid || refunded.length === mostPaid) && ' …'}
    </LinkText>
  );
}

/** Amounts of several currencies, which cannot be added. */
function Sums({ amounts }: { amounts: readonly { amount: number; currency: string }[] }) {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  return [...sums].map(([currency, sum], i) => (
    <Fragment key={currency}>
      {i > 0 && ' · '}
      <Money amount={sum} currency={currency} />
    </Fragment>
  ));
}

/** What is left to pay of the open invoices, by currency. */
function OpenBalance({ customerId }: { customerId: number }) {
  const mayRead = useMay('invoice_read');
  const query = { customerId, status: 'OPEN', pageSize: mostOpen };
  const open = useRead('invoices.list', query, { enabled: mayRead }).data?.data;
  if (open === undefined || open.length === 0) return '–';
  const amounts = open.map(({ amountRemaining: amount, currency }) => ({ amount, currency }));
  return (
    <LinkText href={`/invoices?status=OPEN&customerId=${customerId}`}>
      <Sums amounts={amounts} />
      {open.length === mostOpen && ' …'}
    </LinkText>
  );
}

function CustomerPayments({ customerId }: { customerId: number }) {
  const text = useText();
  const columns = usePaymentColumns().filter(({ id }) => id !== 'customer');
  const read = useRead('transactions.list', { customerId, pageSize: 5 });
  const all = <LinkText href={`/payments?customerId=${customerId}`}>{text('home.all')}</LinkText>;
  return (
    <Section title={text('payments.title')} actions={read.data?.data.length === 0 ? undefined : all}>
      <DataTable
        caption={text('payments.title')}
        columns={columns}
        rows={read.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/payments/${id}`}
        empty={<EmptyState title={text('customers.noPayments')} />}
      />
    </Section>
  );
}

function CustomerSubscriptions({ customerId }: { customerId: number }) {
  const text = useText();
  const mayRead = useMay('subscription_read');
  const columns = useSubscriptionColumns();
  const read = useRead('subscriptions.list', { customerId }, { enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Section title={text('subscriptions.title')}>
      <SubscriptionTotals customerId={customerId} />
      <DataTable
        caption={text('subscriptions.title')}
        columns={columns}
        rows={read.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/subscriptions/${id}`}
        empty={<EmptyState title={text('subscriptions.none')} />}
      />
    </Section>
  );
}
