import type { plansModifyInterval } from '../../api/choices.ts';
import type { Subscription } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { useText } from '../../shell/preferences.tsx';

type Priced = Pick<Subscription, 'planId' | 'quantity' | 'unitAmount' | 'currency'>;

/** What one period costs without tax: `2 × EUR 29.00 a month`. The period is known once the plan is loaded. */
export function SubscriptionPrice({ subscription }: { subscription: Priced }) {
  const text = useText();
  const { planId, quantity, unitAmount, currency } = subscription;
  const plan = useRead('plans.get', { id: planId }).data?.data;
  return (
    <>
      {quantity > 1 && `${quantity} × `}
      <Money amount={unitAmount} currency={currency} />
      {plan && ` ${text.count(`per.${plan.interval as (typeof plansModifyInterval)[number]}`, plan.intervalCount)}`}
    </>
  );
}
