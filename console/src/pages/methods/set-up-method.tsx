import { Group, Loader, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ChannelListItem, Customer, PaymentMethod } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FailureText } from '../../ui/failure-text.tsx';
import { Dialog } from '../../ui/forms/dialog.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { PayerLink } from '../../ui/secrets/secret-link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

interface SetUpMethodProps {
  customer: Customer;
  channels: readonly ChannelListItem[];
}

/** Sets a payment method up, and shows the link on which the payer completes it. */
export function SetUpMethod({ customer, channels }: SetUpMethodProps) {
  const text = useText();
  const [begunId, setBegunId] = useState<string>();
  const mayReadChannels = useMay('channel_read');
  const data = channels
    .filter(({ state, provider }) => state && provider !== null)
    .map(({ id, name }) => ({ value: String(id), label: name }));
  const usual = data.find(({ value }) => value === String(customer.defaultChannelId)) ?? data[0];
  return (
    <>
      <DialogButton
        needs="transaction_write"
        variant="default"
        size="xs"
        label={text('methods.setUp')}
        unavailable={mayReadChannels ? undefined : text('permission.missing', { scope: 'channel_read' })}
      >
        {(dialog) => (
          <FormModal
            {...dialog}
            title={text('methods.setUp')}
            submit={text('checkouts.create')}
            operation="paymentMethods.setup"
            isIdempotent
            bodyOf={({ channelId, returnUrl }) => ({
              customerId: customer.id,
              channelId: Number(channelId),
              ...(returnUrl && { returnUrl }),
            })}
            onDone={({ data: { id } }) => setBegunId(id)}
          >
            {(errorOf) => (
              <>
                <Text size="sm">{text('methods.setUpHint')}</Text>
                <Select
                  name="channelId"
                  label={text('payments.channel')}
                  data={data}
                  defaultValue={usual?.value ?? null}
                  allowDeselect={false}
                  error={errorOf('channelId')}
                  required
                  data-autofocus
                />
                <TextInput name="returnUrl" type="url" label={text('portal.returnUrl')} error={errorOf('returnUrl')} />
              </>
            )}
          </FormModal>
        )}
      </DialogButton>
      <Dialog
        opened={begunId !== undefined}
        onClose={() => setBegunId(undefined)}
        title={text('methods.setUp')}
        size="lg"
      >
        {begunId !== undefined && <BegunSetup id={begunId} onDone={() => setBegunId(undefined)} />}
      </Dialog>
    </>
  );
}

/** Follows a setup. The stream of events reports each step. */
function BegunSetup({ id, onDone }: { id: string; onDone: () => void }) {
  const text = useText();
  const read = useRead('paymentMethods.get', { id });
  const method = read.data?.data;
  if (read.error !== null) return <ErrorNote error={read.error} onRetry={() => read.refetch()} />;
  const url = method && payerUrl(method);
  if (url !== undefined) return <PayerLink hint={text('methods.linkHint')} url={url} onDone={onDone} />;
  if (method === undefined || method.status === 'PENDING')
    return (
      <Group gap="sm">
        <Loader size="sm" />
        <Text size="sm">{text('methods.preparing')}</Text>
      </Group>
    );
  return (
    <Stack gap="sm" align="flex-start">
      <StatusBadge status={method.status} />
      {method.failureCode !== null && (
        <Text size="sm">
          <FailureText code={method.failureCode} />
        </Text>
      )}
    </Stack>
  );
}

/** Where the payer completes the setup. Undefined: the payer has nothing to do. */
export function payerUrl({ status, nextAction }: Pick<PaymentMethod, 'status' | 'nextAction'>): string | undefined {
  return status === 'PENDING' && typeof nextAction?.url === 'string' ? nextAction.url : undefined;
}
