import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';

/** The name of a channel; its number until the name is loaded, and for users who may not read channels. */
export function ChannelName({ id }: { id: number }) {
  const mayRead = useMay('channel_read');
  const { data } = useRead('channels.get', { id }, { enabled: mayRead });
  return data?.data.name ?? String(id);
}
