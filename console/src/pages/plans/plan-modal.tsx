import { NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { plansModifyInterval } from '../../api/choices.ts';
import type { Plan } from '../../api/client.ts';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { CurrencySelect } from '../../ui/forms/currency-select.tsx';
import { DescriptorField } from '../../ui/forms/descriptor-field.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { basisPointsOf, TaxField } from '../../ui/forms/tax-field.tsx';

/** Creates or edits a plan. */
export function PlanModal({ plan, onClose }: { plan: Plan | undefined; onClose: () => void }) {
  const text = useText();
  const { livemode } = useMode();
  const [currency, setCurrency] = useState(plan?.currency ?? 'EUR');
  return (
    <FormModal
      title={text(plan === undefined ? 'plans.add' : 'plans.edit')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      size="lg"
      operation="plans.modify"
      bodyOf={({ name, amount, interval, intervalCount, trialDays, taxRate, state, statementDescriptor }) => ({
        ...(plan === undefined ? { livemode } : { id: plan.id }),
        name,
        currency,
        amount: minorUnits(amount),
        interval,
        intervalCount: Number(intervalCount),
        trialDays: Number(trialDays),
        taxRate: basisPointsOf(taxRate) ?? null,
        state: state === 'on',
        statementDescriptor: statementDescriptor || null,
      })}
    >
      {(errorOf) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              name="name"
              label={text('common.name')}
              defaultValue={plan?.name}
              error={errorOf('name')}
              required
              data-autofocus
            />
            <CurrencySelect value={currency} onChange={setCurrency} error={errorOf('currency')} />
            <MoneyField
              name="amount"
              label={text('subscriptions.price')}
              currency={currency}
              defaultAmount={plan?.amount}
              error={errorOf('amount')}
              required
            />
            <NumberInput
              name="trialDays"
              label={text('plans.trialDays')}
              defaultValue={plan?.trialDays ?? 0}
              min={0}
              error={errorOf('trialDays')}
            />
            <NumberInput
              name="intervalCount"
              label={text('plans.every')}
              defaultValue={plan?.intervalCount ?? 1}
              min={1}
              error={errorOf('intervalCount')}
            />
            <Select
              name="interval"
              label={text('plans.interval')}
              data={plansModifyInterval.map((value) => ({ value, label: text(`plans.${value}`) }))}
              defaultValue={plan?.interval ?? 'month'}
              error={errorOf('interval')}
              allowDeselect={false}
            />
            <TaxField name="taxRate" taxRate={plan?.taxRate} error={errorOf('taxRate')} />
            <DescriptorField descriptor={plan?.statementDescriptor} error={errorOf('statementDescriptor')} />
          </SimpleGrid>
          <Switch name="state" label={text('state.active')} defaultChecked={plan?.state ?? true} />
        </>
      )}
    </FormModal>
  );
}
