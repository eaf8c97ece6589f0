import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConnectionError, FlorinError } from '../api/client.ts';
import { useText } from '../shell/preferences.tsx';

/** The message of an error, with the request id under which it is in the log of the service. */
export function ErrorNote({ error, onRetry }: { error: Error | null | undefined; onRetry?: () => void }) {
  const text = useText();
  if (error === null || error === undefined) return null;
  const facts = error instanceof FlorinError ? error : undefined;
  return (
    <Alert color="red" role="alert">
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm">{error instanceof ConnectionError ? text('error.unreachable') : error.message}</Text>
          {facts?.requestId !== undefined && (
            <Text size="xs" c="dimmed">
              {text('error.request', { id: facts.requestId })}
            </Text>
          )}
        </div>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {text('common.tryAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Replaces an empty list. Its children explain the list and offer the next step; without them it is one line. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Paper withBorder p={children ? 'xl' : 'sm'}>
      <Stack gap="sm" maw={640}>
        {children ? <Title order={2}>{title}</Title> : <Text size="sm">{title}</Text>}
        {children}
      </Stack>
    </Paper>
  );
}
