import { useQuery } from '@tanstack/react-query';
import { call, pathOf } from '../../api/client.ts';
import { LinkText } from '../../ui/link-text.tsx';

const maxIds = 100;

/** A link to a customer. Shows the id of customers that are not stored in Florin. */
export function CustomerLink({ id }: { id: string | number | null | undefined }) {
  if (id === null || id === undefined || id === '') return null;
  return <NamedLink id={id} />;
}

/** Nothing until the name is loaded: a link needs a text. */
function NamedLink({ id }: { id: string | number }) {
  const name = useCustomerName(id);
  return name === '' ? null : <LinkText href={`/customers/${id}`}>{name}</LinkText>;
}

/** The name of a customer; empty until it is loaded, and the id if it cannot be read or is not stored in Florin. */
export function useCustomerName(id: string | number): string {
  const isStoredHere = /^[1-9]\d{0,15}$/.test(String(id));
  const { data: name, isLoading } = useQuery({
    queryKey: [pathOf('customers.list'), { nameOf: String(id) }],
    queryFn: () => nameOf(String(id)),
    enabled: isStoredHere,
    staleTime: 60_000,
    retry: false,
  });
  return isLoading ? '' : (name ?? String(id));
}

/** The names to load with the next request. */
let requested = new Map<string, ((name: Promise<string | null>) => void)[]>();

/** Batches the names that the rows of a list load. */
function nameOf(id: string): Promise<string | null> {
  return new Promise((resolve) => {
    if (requested.size === 0) setTimeout(loadNames);
    requested.set(id, [...(requested.get(id) ?? []), resolve]);
  });
}

function loadNames(): void {
  const waiting = [...requested];
  requested = new Map();
  for (let first = 0; first < waiting.length; first += maxIds) {
    const some = waiting.slice(first, first + maxIds);
    const names = namesOf(some.map(([id]) => id));
    for (const [id, resolves] of some) {
      for (const resolve of resolves) resolve(names.then((known) => known.get(id) ?? null));
    }
  }
}

async function namesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const { data } = await call('customers.list', { ids: ids.join(','), pageSize: maxIds });
  return new Map(data.map(({ id, name }) => [String(id), name]));
}
