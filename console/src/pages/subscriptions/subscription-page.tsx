import type { Subscription } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { ObjectEvents } from '../events/object-events.tsx';
import { useInvoiceColumns } from '../invoices/invoice-columns.tsx';
import { PlanName } from '../plans/plan-name.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';

export default function SubscriptionPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('subscriptions.get', { id });
  return (
    <RecordPage title={text('subscriptions.one')} listPath="/subscriptions" read={read}>
      {(subscription) => (
        <Page
          title={`${text('subscriptions.one')} ${subscription.id}`}
          beside={<StatusBadge status={subscription.state} />}
          actions={<SubscriptionActions subscription={subscription} />}
        >
          <SubscriptionFacts subscription={subscription} />
          <SubscriptionInvoices subscriptionId={subscription.id} />
          <ObjectEvents objectId={`sub_${subscription.id}`} />
        </Page>
      )}
    </RecordPage>
  );
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const text = useText();
  const { customerId, planId, quantity, unitAmount, currency } = subscription;
  return (
    <Facts
      facts={[
        [text('payment.customer'), <CustomerLink key="customer" id={customerId} />],
        [text('plans.one'), <PlanName key="plan" id={planId} />],
        [text('invoices.quantity'), quantity],
        [text('invoices.unitAmount'), <Money key="price" amount={unitAmount} currency={currency} />],
        [text('subscriptions.periodStart'), <Time key="start" value={subscription.periodStart} />],
        [text('subscriptions.periodEnd'), <Time key="end" value={subscription.periodEnd} />],
        [text('subscriptions.trialEnd'), subscription.trialEnd && <Time key="trial" value={subscription.trialEnd} />],
        [text('subscriptions.endTime'), subscription.endTime && <Time key="fixed" value={subscription.endTime} />],
        [text('subscriptions.cancelAtEnd'), subscription.cancelAtPeriodEnd && text('common.yes')],
        [text('subscriptions.zone'), subscription.timeZone],
        [text('payments.created'), <Time key="created" value={subscription.createdTime} />],
        [text('subscriptions.ended'), subscription.endedTime && <Time key="ended" value={subscription.endedTime} />],
      ]}
    />
  );
}

function SubscriptionInvoices({ subscriptionId }: { subscriptionId: number }) {
  const text = useText();
  const mayRead = useMay('invoice_read');
  const columns = useInvoiceColumns();
  const read = useRead('invoices.list', { subscriptionId }, { enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Section title={text('invoices.title')}>
      <DataTable
        caption={text('invoices.title')}
        columns={columns}
        rows={read.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/invoices/${id}`}
        empty={<EmptyState title={text('subscriptions.noInvoices')} />}
      />
    </Section>
  );
}
