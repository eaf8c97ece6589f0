import { useRead } from '../../api/hooks.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { PlanName } from '../plans/plan-name.tsx';

/** A link to a subscription, with the name of its plan; the id if it cannot be read. */
export function SubscriptionLink({ id }: { id: number }) {
  const { data, isPending } = useRead('subscriptions.get', { id });
  if (isPending) return null;
  const name = data === undefined ? id : <PlanName id={data.data.planId} />;
  return <LinkText href={`/subscriptions/${id}`}>{name}</LinkText>;
}
