import { useRead } from '../../api/hooks.ts';

/** The name of a plan, or its id until the name is loaded. */
export function PlanName({ id }: { id: number }) {
  const { data } = useRead('plans.get', { id });
  return data?.data.name ?? String(id);
}
