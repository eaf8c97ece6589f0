import { addressLines } from '@florin/server/core/address.ts';
import { Fragment } from 'react';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { InvoicesSection } from '../invoices/invoices-section.tsx';
import { CustomerMethods } from '../methods/customer-methods.tsx';
import { paymentFields, usePaymentColumns } from '../payments/payment-columns.tsx';
import { RecordPaymentModal } from '../payments/record-payment-modal.tsx';
import { useSubscriptionColumns } from '../subscriptions/subscription-columns.tsx';
import { SubscriptionTotals } from '../subscriptions/subscription-totals.tsx';
import { CustomerModal } from './customer-modal.tsx';
import { PortalLink } from './portal-link.tsx';

export default function CustomerPage({ id }: { id: string }) {
  const text = useText();
  const { language } = usePreferences().preferences;
  const read = useRead('customers.get', { id });
  return (
    <RecordPage title={text('customers.one')} listPath="/customers" read={read}>
      {(customer) => (
        <Page
          title={customer.name}
          actions={
            <>
              <PortalLink customerId={customer.id} />
              <DialogButton needs="transaction_write" variant="default" label={text('recordPayment.title')}>
                {(dialog) => <RecordPaymentModal {...dialog} of={{ customerId: customer.id }} />}
              </DialogButton>
              <DialogButton needs="transaction_write" variant="default" label={text('common.edit')}>
                {(dialog) => <CustomerModal {...dialog} customer={customer} />}
              </DialogButton>
            </>
          }
        >
          <Facts
            facts={[
              ['ID', customer.id],
              [text('customers.email'), customer.email],
              [text('customers.phone'), customer.phone],
              [text('customers.externalId'), customer.externalId],
              [text('customers.address'), addressLines(customer.address, language).join(', ')],
              [text('customers.spend'), <Spend key="spend" customerId={customer.id} />],
              [text('customers.openBalance'), <OpenBalance key="open" customerId={customer.id} />],
              [text('seller.dueDays'), customer.dueDays],
              [text('payments.created'), <Time key="created" value={customer.createdTime} />],
            ]}
          />
          {customer.metadata !== null && <CodeBlock value={JSON.stringify(customer.metadata, null, 2)} />}
          <CustomerMethods customer={customer} />
          <CustomerPayments customerId={customer.id} />
          <InvoicesSection query={{ customerId: customer.id }} empty={text('invoices.none')} />
          <CustomerSubscriptions customerId={customer.id} />
        </Page>
      )}
    </RecordPage>
  );
}

/** What the customer has paid, without what was given back or withdrawn by disputes, by currency. */
function Spend({ customerId }: { customerId: number }) {
  const currencies = useRead('customers.summary', { id: customerId }).data?.data.currencies ?? [];
  if (currencies.length === 0) return '–';
  const amounts = currencies.map(({ currency, amountCaptured, amountRefunded, amountDisputed }) => ({
    amount: BigInt(amountCaptured) - BigInt(amountRefunded) - BigInt(amountDisputed),
    currency,
  }));
  return (
    <LinkText href={`/payments?status=SUCCESS&customerId=${customerId}`}>
      <Amounts amounts={amounts} />
    </LinkText>
  );
}

/** What is left to pay of the open invoices, by currency. */
function OpenBalance({ customerId }: { customerId: number }) {
  const mayRead = useMay('invoice_read');
  const { data } = useRead('invoices.summary', { customerId }, { enabled: mayRead });
  const currencies = data?.data.currencies ?? [];
  if (currencies.length === 0) return '–';
  const amounts = currencies.map(({ amountRemaining, currency }) => ({ amount: amountRemaining, currency }));
  return (
    <LinkText href={`/invoices?status=OPEN&customerId=${customerId}`}>
      <Amounts amounts={amounts} />
    </LinkText>
  );
}

/** Amounts of several currencies, which cannot be added. */
function Amounts({ amounts }: { amounts: readonly { amount: bigint | string; currency: string }[] }) {
  return amounts.map(({ amount, currency }, i) => (
    <Fragment key={currency}>
      {i > 0 && ' · '}
      <Money amount={amount} currency={currency} />
    </Fragment>
  ));
}

function CustomerPayments({ customerId }: { customerId: number }) {
  const text = useText();
  // A phone has the width for the description, because the customer is known here.
  const columns = usePaymentColumns()
    .filter(({ id }) => id !== 'customer')
    .map((column) => (column.id === 'description' ? { ...column, from: undefined } : column));
  const read = useRead('transactions.list', { ...paymentFields, customerId, pageSize: 5 });
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
  const columns = useSubscriptionColumns().filter(({ id }) => id !== 'customer');
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
