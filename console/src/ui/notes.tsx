import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { FlorinError } from '../api/client.ts';
import { useText } from '../shell/preferences.tsx';
import { RefusalText } from './refusals/refusal-text.tsx';

interface ErrorNoteProps {
  error: Error | null | undefined;
  onRetry?: () => void;
  /** That of the amounts that the refusal may name. */
  currency?: string | undefined;
}

/** Why something was refused, with the request id under which it is in the log of the service. */
export function ErrorNote({ error, onRetry, currency }: ErrorNoteProps) {
  const text = useText();
  if (error === null || error === undefined) return null;
  const facts = error instanceof FlorinError ? error : undefined;
  return (
    <Alert color="red" role="alert">
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm">
            <RefusalText error={error} currency={currency} />
          </Text>
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

/** Replaces a list that has no rows under its filters. */
export function NothingMatches({ onClear }: { onClear: () => void }) {
  const text = useText();
  return (
    <EmptyState title={text('filters.none')}>
      <Button variant="default" onClick={onClear} w="fit-content">
        {text('filters.clear')}
      </Button>
    </EmptyState>
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
