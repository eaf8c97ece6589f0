import { Badge } from '@mantine/core';
import { useText } from '../shell/preferences.tsx';
import type { TextKey } from '../text/texts.ts';

const colors: Readonly<Record<string, string>> = {
  SUCCESS: 'green',
  SUCCEEDED: 'green',
  PAID: 'green',
  ACTIVE: 'green',
  VERIFIED: 'green',
  AGREES: 'green',
  WON: 'green',
  FAILED: 'red',
  WRONG: 'red',
  UNCOLLECTIBLE: 'red',
  PAST_DUE: 'red',
  REVOKED: 'red',
  DISAGREES: 'red',
  LOST: 'red',
  PENDING: 'yellow',
  PROCESSING: 'blue',
  OPEN: 'blue',
  TRIALING: 'blue',
  REFUNDED: 'violet',
  PARTLY_REFUNDED: 'violet',
  RETRYING: 'orange',
};

/** A status of the API, in the language of the user. */
export function StatusBadge({ status }: { status: string }) {
  const text = useText();
  return <Badge color={colors[status] ?? 'gray'}>{text(`status.${status}` as TextKey)}</Badge>;
}
