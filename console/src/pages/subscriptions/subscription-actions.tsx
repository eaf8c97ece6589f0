import { Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import type { Subscription } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ChangePlanModal } from './change-plan-modal.tsx';

export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const text = useText();
  const { id, state } = subscription;
  const [isChanging, setIsChanging] = useState(false);
  const [isCancelling, setIsCancelling] = useState(false);
  const pausing = useChange('subscriptions.pause');
  const resuming = useChange('subscriptions.resume');
  const hasEnded = state === 'CANCELLED' || state === 'EXPIRED';
  if (hasEnded) return null;
  return (
    <>
      <ErrorNote error={pausing.error ?? resuming.error} />
      {state === 'PAUSED' ? (
        <PermittedButton
          needs="subscription_write"
          loading={resuming.isPending}
          onClick={() => resuming.mutate({ body: { id } })}
        >
          {text('subscriptions.resume')}
        </PermittedButton>
      ) : (
        <PermittedButton
          needs="subscription_write"
          variant="default"
          loading={pausing.isPending}
          onClick={() => pausing.mutate({ body: { id } })}
        >
          {text('subscriptions.pause')}
        </PermittedButton>
      )}
      <PermittedButton needs="subscription_write" variant="default" onClick={() => setIsChanging(true)}>
        {text('subscriptions.changePlan')}
      </PermittedButton>
      {isChanging && <ChangePlanModal subscription={subscription} opened onClose={() => setIsChanging(false)} />}
      <PermittedButton needs="subscription_write" variant="default" onClick={() => setIsCancelling(true)}>
        {text('subscriptions.cancel')}
      </PermittedButton>
      <FormModal
        title={text('subscriptions.cancelTitle')}
        submit={text('subscriptions.cancel')}
        isDangerous
        opened={isCancelling}
        onClose={() => setIsCancelling(false)}
        operation="subscriptions.cancel"
        bodyOf={({ atPeriodEnd }) => ({ id, cancelAtPeriodEnd: atPeriodEnd === 'on' })}
      >
        <Text size="sm">{text('subscriptions.cancelHint')}</Text>
        <Checkbox name="atPeriodEnd" label={text('subscriptions.atPeriodEnd')} defaultChecked />
      </FormModal>
    </>
  );
}
