import { Checkbox, Text } from '@mantine/core';
import type { Subscription } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ChangePlanModal } from './change-plan-modal.tsx';

export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const text = useText();
  const { id, state } = subscription;
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
      <DialogButton needs="subscription_write" variant="default" label={text('subscriptions.changePlan')}>
        {(dialog) => dialog.opened && <ChangePlanModal {...dialog} subscription={subscription} />}
      </DialogButton>
      <DialogButton needs="subscription_write" variant="default" label={text('subscriptions.cancel')}>
        {(dialog) => (
          <FormModal
            {...dialog}
            title={text('subscriptions.cancelTitle')}
            submit={text('subscriptions.cancel')}
            isDangerous
            operation="subscriptions.cancel"
            bodyOf={({ atPeriodEnd }) => ({ id, cancelAtPeriodEnd: atPeriodEnd === 'on' })}
          >
            <Text size="sm">{text('subscriptions.cancelHint')}</Text>
            <Checkbox name="atPeriodEnd" label={text('subscriptions.atPeriodEnd')} defaultChecked />
          </FormModal>
        )}
      </DialogButton>
    </>
  );
}
