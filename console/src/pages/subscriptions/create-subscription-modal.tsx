import { NumberInput, Select } from '@mantine/core';
import { useRead } from '../../api/hooks.ts';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

interface CreateSubscriptionModalProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: number) => void;
}

export function CreateSubscriptionModal({ opened, onClose, onCreated }: CreateSubscriptionModalProps) {
  const text = useText();
  const { locale } = usePreferences();
  const customers = useRead('customers.list', { pageSize: 100 }, { enabled: opened });
  const plans = useRead('plans.list', { state: true, pageSize: 100 }, { enabled: opened });
  return (
    <FormModal
      title={text('subscriptions.add')}
      submit={text('subscriptions.add')}
      opened={opened}
      onClose={onClose}
      operation="subscriptions.create"
      isIdempotent
      bodyOf={({ customerId, planId, quantity, trialDays }) => ({
        customerId: Number(customerId),
        planId: Number(planId),
        quantity: Number(quantity),
        ...(trialDays && { trialDays: Number(trialDays) }),
      })}
      onDone={({ data }) => onCreated(data.id)}
    >
      {(errorOf) => (
        <>
          <Select
            name="customerId"
            label={text('payment.customer')}
            data={customers.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
            error={errorOf('customerId')}
            searchable
            required
          />
          <Select
            name="planId"
            label={text('plans.one')}
            data={
              plans.data?.data.map(({ id, name, amount, currency }) => ({
                value: String(id),
                label: `${name} · ${moneyText(amount, currency, locale)}`,
              })) ?? []
            }
            error={errorOf('planId')}
            searchable
            required
          />
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
