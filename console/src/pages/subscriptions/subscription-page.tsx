import type { Subscription } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { percentText } from '../../format/percent.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { CustomerLink, useCustomerName } from '../customers/customer-name.tsx';
import { ObjectEvents } from '../events/object-events.tsx';
import { InvoicesSection } from '../invoices/invoices-section.tsx';
import { PlanLink, usePlanName } from '../plans/plan-name.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionPrice } from './subscription-price.tsx';

export default function SubscriptionPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('subscriptions.get', { id });
  return (
    <RecordPage title={text('subscriptions.one')} listPath="/subscriptions" read={read}>
      {(subscription) => <SubscriptionRecord subscription={subscription} />}
    </RecordPage>
  );
}

function SubscriptionRecord({ subscription }: { subscription: Subscription }) {
  const text = useText();
  const { id, customerId, planId } = subscription;
  const names = [useCustomerName(customerId), usePlanName(planId)];
  const title = names.every(Boolean) ? names.join(' · ') : text('subscriptions.one');
  return (
    <Page
      title={title}
      beside={<StatusBadge status={subscription.state} />}
      actions={<SubscriptionActions subscription={subscription} />}
    >
      <SubscriptionFacts subscription={subscription} />
      <InvoicesSection query={{ subscriptionId: id }} empty={text('subscriptions.noInvoices')} />
      <ObjectEvents objectId={`sub_${id}`} />
    </Page>
  );
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const text = useText();
  const { locale } = usePreferences();
  const { id, customerId, planId, quantity, taxRate } = subscription;
  return (
    <Facts
      facts={[
        ['ID', id],
        [text('payment.customer'), <CustomerLink key="customer" id={customerId} />],
        [text('plans.one'), <PlanLink key="plan" id={planId} />],
        [text('invoices.quantity'), quantity],
        [text('subscriptions.price'), <SubscriptionPrice key="price" subscription={subscription} />],
        [text('invoices.tax'), taxRate !== null && percentText(taxRate, locale)],
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
