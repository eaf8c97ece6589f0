import { NumberInput, Select } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { ChannelSelect } from '../../ui/forms/channel-select.tsx';
import { CustomerSelect } from '../../ui/forms/customer-select.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

interface CreateSubscriptionModalProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: number) => void;
}

export function CreateSubscriptionModal({ opened, onClose, onCreated }: CreateSubscriptionModalProps) {
  const text = useText();
  const { locale } = usePreferences();
  const [customerId, setCustomerId] = useState<string | null>(null);
  const [planId, setPlanId] = useState<string | null>(null);
  const isChosen = opened && customerId !== null;
  const customer = useRead('customers.get', { id: customerId }, { enabled: isChosen, isFresh: true });
  const plans = useRead('plans.list', { state: true, pageSize: 100 }, { enabled: opened, isFresh: true });
  const plan = plans.data?.data.find(({ id }) => String(id) === planId);
  const payer = customerId === null ? undefined : customer.data?.data;
  const namesChannel = [plan?.channelId, payer?.defaultChannelId, payer?.defaultMethodId].some((one) => one != null);
  return (
    <FormModal
      title={text('subscriptions.add')}
      submit={text('subscriptions.add')}
      opened={opened}
      onClose={onClose}
      operation="subscriptions.create"
      isIdempotent
      bodyOf={({ quantity, trialDays, channelId }) => ({
        customerId: Number(customerId),
        planId: Number(planId),
        quantity: Number(quantity),
        ...(trialDays && { trialDays: Number(trialDays) }),
        ...(channelId && { channelId: Number(channelId) }),
      })}
      onDone={({ data }) => onCreated(data.id)}
    >
      {(errorOf) => (
        <>
          <CustomerSelect value={customerId} onChange={setCustomerId} error={errorOf('customerId')} />
          <Select
            name="planId"
            label={text('plans.one')}
            data={
              plans.data?.data.map(({ id, name, amount, currency }) => ({
                value: String(id),
                label: `${name} · ${moneyText(amount, currency, locale)}`,
              })) ?? []
            }
            value={planId}
            onChange={setPlanId}
            error={errorOf('planId')}
            searchable
            required
          />
          {plan !== undefined && payer !== undefined && (
            <ChannelSelect
              currency={plan.currency}
              isOptional={namesChannel}
              description={text('subscriptions.channelHint')}
              error={errorOf('channelId')}
            />
          )}
          <NumberInput
            name="quantity"
            label={text('invoices.quantity')}
            defaultValue={1}
            min={1}
            error={errorOf('quantity')}
            required
          />
          <NumberInput name="trialDays" label={text('plans.trialDays')} min={0} error={errorOf('trialDays')} />
        </>
      )}
    </FormModal>
  );
}
