import { useRead } from '../../api/hooks.ts';
import { LinkText } from '../../ui/link-text.tsx';

/** The name of a plan; empty until it is loaded, and the id if it cannot be read. */
export function usePlanName(id: number): string {
  const { data, isPending } = useRead('plans.get', { id });
  return isPending ? '' : (data?.data.name ?? String(id));
}

export function PlanName({ id }: { id: number }) {
  return usePlanName(id);
}

/** A link to a plan, with its name; nothing until that is loaded. */
export function PlanLink({ id }: { id: number }) {
  const name = usePlanName(id);
  return name === '' ? null : <LinkText href={`/plans/${id}`}>{name}</LinkText>;
}
