import type { Subscription } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { ObjectEvents } from '../events/object-events.tsx';
import { InvoicesSection } from '../invoices/invoices-section.tsx';
import { PlanLink } from '../plans/plan-name.tsx';
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
          <InvoicesSection query={{ subscriptionId: subscription.id }} empty={text('subscriptions.noInvoices')} />
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
        [text('plans.one'), <PlanLink key="plan" id={planId} />],
        [text('invoices.quantity'), quantity],
        [text('invoices.unitAmount'), <Money key="price" amount={unitAmount} currency={currency} />],
        [
          text('subscriptions.next'),
          (subscription.nextPlanId !== null || subscription.nextQuantity !== null) && (
            <>
              {subscription.nextQuantity ?? quantity} × <PlanLink id={subscription.nextPlanId ?? planId} />
            </>
          ),
        ],
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
