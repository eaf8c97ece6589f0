import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterSelect } from './filter-select.tsx';

/** Only records that one user has created, also with a key. For users who may read the others. */
export function UserFilter({ value, onChange }: { value: string; onChange: (userId: string) => void }) {
  const text = useText();
  const mayReadUsers = useMay('user_read');
  const users = useRead('users.list', { pageSize: 100 }, { enabled: mayReadUsers });
  if (!mayReadUsers && value === '') return null;
  const options = users.data?.data.map(({ id, userName }) => ({ value: String(id), label: userName })) ?? [];
  return <FilterSelect label={text('filters.user')} options={options} value={value} onChange={onChange} />;
}
