import { Badge } from '@mantine/core';

/** Green, yellow for what the caller can mend, red for what the service has done wrong. */
export function HttpStatus({ status }: { status: number }) {
  const color = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red';
  return <Badge color={color}>{status}</Badge>;
}
