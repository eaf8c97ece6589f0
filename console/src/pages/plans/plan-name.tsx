import { useRead } from '../../api/hooks.ts';
import { LinkText } from '../../ui/link-text.tsx';

/** The name of a plan, or its id until the name is loaded. */
export function PlanName({ id }: { id: number }) {
  const { data } = useRead('plans.get', { id });
  return data?.data.name ?? String(id);
}

/** A link to a plan, with its name. */
export function PlanLink({ id }: { id: number }) {
  return <LinkText href={`/plans/${id}`}>{<PlanName id={id} />}</LinkText>;
}
