import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';

/** The name of a user; "User 7" until it is loaded, and for those who may not read the others. */
export function UserName({ id }: { id: number }) {
  const text = useText();
  const profile = useProfile();
  const mayRead = useMay('user_read');
  const users = useRead('users.list', { pageSize: 100 }, { enabled: mayRead && id !== profile.userId }).data?.data;
  if (id === profile.userId) return profile.userName;
  return users?.find((user) => user.id === id)?.userName ?? text('team.userNumber', { id });
}
