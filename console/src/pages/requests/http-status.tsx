import { Badge } from '@mantine/core';

/** Green for success, yellow for mistakes of the caller, red for failures of the service. */
export function HttpStatus({ status }: { status: number }) {
  const color = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';
  return <Badge color={color}>{status}</Badge>;
}
