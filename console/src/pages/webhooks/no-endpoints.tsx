import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';

export function NoEndpoints({ onAdd }: { onAdd: () => void }) {
  const text = useText();
  return (
    <EmptyState title={text('webhooks.none')}>
      <Text size="sm">{text('webhooks.noneHint')}</Text>
      <Group gap="xs">
        <PermittedButton needs="webhook_write" onClick={onAdd}>
          {text('webhooks.add')}
        </PermittedButton>
        <Button variant="default" component={Link} href="/inboxes">
          {text('webhooks.tryInbox')}
        </Button>
      </Group>
    </EmptyState>
  );
}
