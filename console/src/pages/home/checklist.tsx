import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../../ui/icons.tsx';

/** The steps of a new installation, derived from its data. Disappears when all are done. */
export function Checklist() {
  const text = useText();
  const { holdsAll } = useProfile();
  const maySee = useMay('webhook_write') && holdsAll;
  const options = { enabled: maySee };
  const channels = useRead('channels.list', {}, options).data?.data;
  const keys = useRead('keys.list', {}, options).data?.data;
  const payments = useRead('transactions.list', { pageSize: 10 }, options).data?.data;
  const delivered = useRead('webhooks.deliveries.list', { state: 'SUCCEEDED', pageSize: 1 }, options).data;
  if (!maySee || channels === undefined || keys === undefined || payments === undefined || delivered === undefined) {
    return null;
  }
  const steps = [
    { label: text('checklist.channel'), isDone: channels.length > 0 },
    { label: text('checklist.key'), isDone: keys.length > 0 },
    { label: text('checklist.payment'), isDone: payments.length > 0 },
    { label: text('checklist.webhook'), isDone: delivered.data.length > 0 },
  ];
  const open = steps.filter(({ isDone }) => !isDone).length;
  if (open === 0) return null;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="end">
        <Stack gap="xs">
          <Title order={2}>{text('checklist.title')}</Title>
          <Group gap="lg">
            {steps.map(({ label, isDone }) => (
              <Group key={label} gap={8}>
                <ThemeIcon
                  size={20}
                  radius="xl"
                  color={isDone ? 'green' : 'gray'}
                  variant={isDone ? 'filled' : 'light'}
                >
                  {isDone ? <Icon name="check" size={14} /> : null}
                </ThemeIcon>
                <Text size="sm" c={isDone ? 'dimmed' : undefined} td={isDone ? 'line-through' : undefined}>
                  {label}
                </Text>
              </Group>
            ))}
          </Group>
        </Stack>
        <Button component={Link} href="/welcome">
          {text('checklist.go')}
        </Button>
      </Group>
    </Paper>
  );
}
