import { useRead } from '../../api/hooks.ts';

/** The name of a plan; its id as long as the name is not known. */
export function PlanName({ id }: { id: number }) {
  const { data } = useRead('plans.get', { id });
  return data?.data.name ?? String(id);
}
