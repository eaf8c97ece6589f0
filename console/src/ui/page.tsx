import { Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  /** Beside the title, such as a status. */
  beside?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, beside, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Florin`);
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={36} gap="sm">
        <Group gap="sm">
          <Title order={1}>{title}</Title>
          {beside}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A part of a page with its own heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section">
      <Group justify="space-between" mih={30}>
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
