import { Button, Text } from '@mantine/core';
import { addressOf, type Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Day, Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FailureText } from '../../ui/failure-text.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { ObjectEvents } from '../events/object-events.tsx';
import { SubscriptionLink } from '../subscriptions/subscription-link.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { StatusOf } from './invoice-columns.tsx';

export default function InvoicePage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('invoices.get', { id });
  return (
    <RecordPage title={text('invoices.one')} listPath="/invoices" read={read}>
      {(invoice) => (
        <Page
          title={invoice.number ?? text('invoices.one')}
          beside={
            <>
              <Text size="lg" fw={600}>
                <Money amount={invoice.total} currency={invoice.currency} />
              </Text>
              <StatusOf invoice={invoice} />
            </>
          }
          actions={
            <>
              <Button
                component="a"
                variant="default"
                href={addressOf('/api/invoice/print', { id: invoice.id, format: 'pdf' })}
              >
                PDF
              </Button>
              <InvoiceActions invoice={invoice} />
            </>
          }
        >
          <InvoiceFacts invoice={invoice} />
          <InvoiceLines invoice={invoice} />
          <InvoicePayments invoice={invoice} />
          <ObjectEvents objectId={`inv_${invoice.id}`} />
        </Page>
      )}
    </RecordPage>
  );
}

function InvoiceFacts({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const { currency } = invoice;
  return (
    <Facts
      facts={[
        [text('payment.customer'), <CustomerLink key="customer" id={invoice.customerId} />],
        [text('invoices.subtotal'), <Money key="subtotal" amount={invoice.subtotal} currency={currency} />],
        [text('invoices.tax'), <Money key="tax" amount={invoice.tax} currency={currency} />],
        [text('invoices.paid'), <Money key="paid" amount={invoice.amountPaid} currency={currency} />],
        [text('invoices.remaining'), <Money key="rest" amount={invoice.amountRemaining} currency={currency} />],
        [
          text('invoices.toReturn'),
          invoice.amountToReturn > 0 && <Money key="return" amount={invoice.amountToReturn} currency={currency} />,
        ],
        [text('invoices.due'), <Day key="due" value={invoice.dueDate} />],
        [text('payments.description'), invoice.description],
        [
          text('subscriptions.one'),
          invoice.subscriptionId !== null && <SubscriptionLink key="subscription" id={invoice.subscriptionId} />,
        ],
        [text('payments.created'), <Time key="created" value={invoice.createdTime} />],
        [text('invoices.finalized'), invoice.finalizedTime && <Time key="final" value={invoice.finalizedTime} />],
        [text('invoices.paidTime'), invoice.paidTime && <Time key="paidTime" value={invoice.paidTime} />],
      ]}
    />
  );
}

function InvoiceLines({ invoice: { lines, currency } }: { invoice: Invoice }) {
  const text = useText();
  return (
    <Section title={text('invoices.lines')}>
      <DataTable
        caption={text('invoices.lines')}
        columns={[
          { header: text('payments.description'), cell: ({ description }) => description },
          { header: text('invoices.quantity'), isNumber: true, cell: ({ quantity }) => quantity },
          {
            header: text('invoices.unitAmount'),
            isNumber: true,
            from: 'sm',
            cell: ({ unitAmount }) => <Money amount={unitAmount} currency={currency} />,
          },
          {
            header: text('invoices.tax'),
            isNumber: true,
            from: 'sm',
            cell: ({ taxAmount }) => <Money amount={taxAmount} currency={currency} />,
          },
          {
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount }) => <Money amount={amount} currency={currency} />,
          },
        ]}
        rows={lines}
        keyOf={(line) => lines.indexOf(line)}
        empty={null}
      />
    </Section>
  );
}

function InvoicePayments({ invoice: { payments, currency } }: { invoice: Invoice }) {
  const text = useText();
  return (
    <Section title={text('payments.title')}>
      <DataTable
        caption={text('payments.title')}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
          { header: text('payments.status'), cell: ({ state }) => <StatusBadge status={state} /> },
          {
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount }) => <Money amount={amount} currency={currency} />,
          },
          {
            header: text('payment.title'),
            from: 'sm',
            cell: ({ transactionId }) =>
              transactionId && <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>,
          },
          {
            header: text('payment.failure'),
            from: 'sm',
            cell: ({ failureCode }) => <FailureText code={failureCode} />,
          },
        ]}
        rows={payments}
        keyOf={(payment) => payments.indexOf(payment)}
        empty={<EmptyState title={text('invoices.noPayments')} />}
      />
    </Section>
  );
}
