import { Text } from '@mantine/core';
import type { Dispute } from '../../api/client.ts';
import { RelativeTime, Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';

const urgentMs = 3 * 86_400_000;

/** Until when an open dispute can be answered. The last three days stand out, as `dispute.due_soon` announces them. */
export function Deadline({ dispute }: { dispute: Pick<Dispute, 'status' | 'respondBy'> }) {
  const text = useText();
  const { status, respondBy } = dispute;
  if (respondBy === null) return <Text size="sm">{text('disputes.unanswerable')}</Text>;
  if (status !== 'OPEN') return <Time value={respondBy} />;
  const isUrgent = Date.parse(respondBy) - Date.now() < urgentMs;
  return (
    <Text size="sm" component="span" {...(isUrgent && { c: 'red', fw: 600 })}>
      <RelativeTime value={respondBy} />
    </Text>
  );
}
