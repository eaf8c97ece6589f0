import { Group, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icons.tsx';

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  /** False: an earlier step comes first. */
  isReady?: boolean;
  children: ReactNode;
}

export function Step({ number, title, isDone, isReady = true, children }: StepProps) {
  return (
    <Paper withBorder p="md" component="section">
      <Group gap="sm" mb={isReady ? 'xs' : 0}>
        <ThemeIcon
          size={26}
          radius="xl"
          color={isDone ? 'green' : isReady ? undefined : 'gray'}
          variant={isReady ? 'filled' : 'light'}
        >
          {isDone ? <Icon name="check" size={16} /> : number}
        </ThemeIcon>
        <Title order={2} c={isReady ? undefined : 'dimmed'}>
          {title}
        </Title>
      </Group>
      {isReady && <Stack gap="xs">{children}</Stack>}
    </Paper>
  );
}
