import { Accordion, Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InboxMessage } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

/** The messages of an inbox, newest first, and whether their signatures are valid. */
export function InboxMessages({ id, empty }: { id: number; empty: ReactNode }) {
  const text = useText();
  const read = useRead('inboxes.messages', { id, pageSize: 50 }, { pollMs: 2_000 });
  const messages = read.data?.data ?? [];
  if (messages.length === 0 && read.error === null) return <>{empty}</>;
  return (
    <>
      <ErrorNote error={read.error} onRetry={() => read.refetch()} />
      <Accordion variant="contained" order={2}>
        {messages.map((message) => (
          <Accordion.Item key={message.id} value={message.id}>
            <Accordion.Control>
              <Group gap="sm">
                <Text size="sm">{String(message.headers['x-service-event'] ?? text('inboxes.message'))}</Text>
                {message.serviceSignature === null ? (
                  <Badge color="gray">{text('inboxes.unverified')}</Badge>
                ) : (
                  <StatusBadge status={message.serviceSignature} />
                )}
                <Text size="sm" c="dimmed">
                  <Time value={message.receivedTime} precise />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <CodeBlock value={printed(message)} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </>
  );
}

function printed({ headers, body }: InboxMessage): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${head.join('\n')}\n\n${indented(body)}`;
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
