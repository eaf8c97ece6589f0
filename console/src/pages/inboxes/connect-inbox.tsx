import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { Dialog } from '../../ui/forms/dialog.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { makeConnectedInbox } from './make-inbox.ts';

export function ConnectInbox({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const text = useText();
  const { livemode } = useMode();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const making = useMutation({
    mutationFn: () => makeConnectedInbox(livemode),
    onSuccess: async ({ inbox }) => {
      onClose();
      navigate(`/inboxes/${inbox.id}`);
      await client.invalidateQueries();
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title={text('inboxes.add')}>
      <Stack gap="sm">
        <Text size="sm">{text('inboxes.addHint')}</Text>
        <ErrorNote error={making.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {text('common.cancel')}
          </Button>
          <Button loading={making.isPending} onClick={() => making.mutate()}>
            {text('inboxes.add')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
