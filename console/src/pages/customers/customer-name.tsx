import { useQuery } from '@tanstack/react-query';
import { call, pathOf } from '../../api/client.ts';
import { LinkText } from '../../ui/link-text.tsx';

const maxIds = 100;

/** The name of a customer as a link to their page; the id as long as the name is not known, and for customers kept elsewhere. */
export function CustomerLink({ id }: { id: string | number | null | undefined }) {
  if (id === null || id === undefined || id === '') return null;
  return <LinkText href={`/customers/${id}`}>{<CustomerName id={id} />}</LinkText>;
}

export function CustomerName({ id }: { id: string | number }) {
  const isOurs = /^[1-9]\d{0,15}$/.test(String(id));
  const { data: name } = useQuery({
    queryKey: [pathOf('customers.list'), { nameOf: String(id) }],
    queryFn: () => nameOf(String(id)),
    enabled: isOurs,
    staleTime: 60_000,
    retry: false,
  });
  return name ?? String(id);
}

/** What was asked for since the last request. */
let asked = new Map<string, ((name: Promise<string | null>) => void)[]>();

/** The rows of a list ask one by one, and are answered by one request. */
function nameOf(id: string): Promise<string | null> {
  return new Promise((resolve) => {
    if (asked.size === 0) setTimeout(askForNames);
    asked.set(id, [...(asked.get(id) ?? []), resolve]);
  });
}

function askForNames(): void {
  const waiting = [...asked];
  asked = new Map();
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
