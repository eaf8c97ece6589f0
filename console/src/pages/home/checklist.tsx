import { Button, Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LiveChecklist } from './live-checklist.tsx';

/** The steps of a new installation in the mode of the page, derived from its data. Disappears when all are done. */
export function Checklist() {
  const { holdsAll } = useProfile();
  const maySee = useMay('webhook_write') && holdsAll;
  const { livemode } = useMode();
  if (!maySee) return null;
  return livemode ? <LiveChecklist /> : <TestChecklist />;
}

function TestChecklist() {
  const text = useText();
  const channels = useRead('channels.list').data?.data;
  const keys = useRead('keys.list').data?.data;
  const payments = useRead('transactions.list', { pageSize: 10 }).data?.data;
  const delivered = useRead('webhooks.deliveries.list', { state: 'SUCCEEDED', pageSize: 1 }).data;
  if (channels === undefined || keys === undefined || payments === undefined || delivered === undefined) return null;
  return (
    <ChecklistPanel
      title={text('checklist.title')}
      steps={[
        { label: text('checklist.channel'), isDone: channels.length > 0 },
        { label: text('checklist.key'), isDone: keys.some(({ livemode }) => !livemode) },
        { label: text('checklist.payment'), isDone: payments.length > 0 },
        { label: text('checklist.webhook'), isDone: delivered.data.length > 0 },
      ]}
      actions={
        <Button component={Link} href="/welcome">
          {text('checklist.go')}
        </Button>
      }
    />
  );
}

export interface ChecklistStep {
  label: string;
  isDone: boolean;
  hint?: ReactNode;
  /** Where it is done, with the text of the button. */
  path?: string;
  go?: string;
}

interface ChecklistPanelProps {
  title: string;
  steps: readonly ChecklistStep[];
  actions?: ReactNode;
}

/** Steps with a mark at those that are done; nothing when all are. */
export function ChecklistPanel({ title, steps, actions }: ChecklistPanelProps) {
  if (steps.every(({ isDone }) => isDone)) return null;
  const isLong = steps.some(({ path, hint }) => path !== undefined || hint !== undefined);
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" align="end" mb={isLong ? 'sm' : undefined}>
        <Stack gap="xs">
          <Title order={2}>{title}</Title>
          {!isLong && (
            <Group gap="lg">
              {steps.map((step) => (
                <Step key={step.label} {...step} />
              ))}
            </Group>
          )}
        </Stack>
        {actions}
      </Group>
      {isLong && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="xs">
          {steps.map((step) => (
            <Step key={step.label} {...step} />
          ))}
        </SimpleGrid>
      )}
    </Paper>
  );
}

function Step({ label, isDone, hint, path, go }: ChecklistStep) {
  return (
    <Group gap={8} wrap="nowrap" align="start">
      <ThemeIcon size={20} radius="xl" mt={1} color={isDone ? 'green' : 'gray'} variant={isDone ? 'filled' : 'light'}>
        {isDone ? <Icon name="check" size={14} /> : null}
      </ThemeIcon>
      {/* On a phone the button is below the text. */}
      <Group gap={4} flex={1} miw={0} justify="space-between" align="start">
        <Stack gap={4} flex={path === undefined ? 1 : '1 1 200px'} miw={0}>
          <Text size="sm" c={isDone ? 'dimmed' : undefined} td={isDone ? 'line-through' : undefined}>
            {label}
          </Text>
          {!isDone && hint}
        </Stack>
        {!isDone && path !== undefined && (
          <Button component={Link} href={path} size="compact-sm" variant="default">
            {go}
          </Button>
        )}
      </Group>
    </Group>
  );
}
