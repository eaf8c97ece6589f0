import { Alert, Checkbox, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { localTimeOf, utcTimeOf } from '../../format/zone.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Dialog } from '../../ui/forms/dialog.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

interface ReplayModalProps {
  endpointId: number;
  opened: boolean;
  onClose: () => void;
}

const dayMs = 86_400_000;
const states = ['FAILED', 'CANCELLED', 'SUCCEEDED', 'MISSING'] as const;

/** Replays the deliveries of an endpoint since a time, and shows the progress. */
export function ReplayModal({ endpointId, opened, onClose }: ReplayModalProps) {
  const text = useText();
  const [chosen, setChosen] = useState<string[]>(['FAILED']);
  const [replayId, setReplayId] = useState<string>();
  const { timeZone } = usePreferences();
  return (
    <>
      <FormModal
        title={text('replay.title')}
        submit={text('webhooks.replay')}
        opened={opened}
        onClose={onClose}
        operation="webhooks.replay"
        bodyOf={({ since }) => ({ endpointId, since: utcTimeOf(since as string, timeZone), states: chosen })}
        onDone={({ data }) => setReplayId(data.replayId ?? undefined)}
      >
        {(errorOf) => (
          <>
            <TextInput
              name="since"
              type="datetime-local"
              label={text('replay.since')}
              description={timeZone}
              defaultValue={localTimeOf(new Date(Date.now() - dayMs).toISOString(), timeZone)}
              error={errorOf('since')}
              required
              data-autofocus
            />
            <Checkbox.Group label={text('replay.which')} value={chosen} onChange={setChosen} error={errorOf('states')}>
              <Stack gap={6} mt={6}>
                {states.map((state) => (
                  <Checkbox key={state} value={state} label={text(`replay.${state}`)} />
                ))}
              </Stack>
            </Checkbox.Group>
          </>
        )}
      </FormModal>
      <ReplayProgress id={replayId} onClose={() => setReplayId(undefined)} />
    </>
  );
}

function ReplayProgress({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const text = useText();
  const read = useRead('webhooks.replays.get', { id }, { enabled: id !== undefined, pollMs: 1_000 });
  const replay = read.data?.data;
  const isRunning = replay === undefined || replay.state === 'RUNNING';
  return (
    <Dialog opened={id !== undefined} onClose={onClose} title={text('replay.title')}>
      <Stack gap="sm">
        <Progress
          value={100}
          animated={isRunning}
          color={isRunning ? undefined : 'green'}
          aria-label={text('replay.title')}
        />
        <Text size="sm" role="status">
          {replay && text.count('replay.sent', replay.deliveryCount)}
        </Text>
        {replay?.state === 'STOPPED' && <Alert color="red">{text('replay.stopped')}</Alert>}
      </Stack>
    </Dialog>
  );
}
