import { Paper, Text, Timeline } from '@mantine/core';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { StepText } from './step-text.tsx';

export function PaymentTimeline({ id }: { id: string }) {
  const timeline = useRead('transactions.timeline', { id });
  const entries = timeline.data?.data ?? [];
  return (
    <Paper withBorder p="md">
      <ErrorNote error={timeline.error} onRetry={() => timeline.refetch()} />
      <Timeline bulletSize={12} lineWidth={2} active={entries.length}>
        {entries.map((entry) => (
          <Timeline.Item
            key={`${entry.time} ${entry.type} ${entry.message}`}
            title={
              <Text size="sm">
                <StepText step={entry} />
              </Text>
            }
          >
            <Text size="xs" c="dimmed" component="div">
              <Time value={entry.time} precise /> {entry.status && <StatusBadge status={entry.status} />}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Paper>
  );
}
