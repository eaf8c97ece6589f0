import { Badge, Button, NumberInput, Select, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { plansModifyInterval } from '../../api/choices.ts';
import type { Plan } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { CurrencySelect } from '../../ui/forms/currency-select.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { basisPointsOf, percentOf, TaxField } from '../../ui/forms/tax-field.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';

export default function PlansPage() {
  const text = useText();
  const [edited, setEdited] = useState<Plan | 'new'>();
  const add = (
    <PermittedButton needs="subscription_write" onClick={() => setEdited('new')} w="fit-content">
      {text('plans.add')}
    </PermittedButton>
  );
  return (
    <>
      <ListPage
        title={text('plans.title')}
        operation="plans.list"
        filterNames={[]}
        actions={add}
        columns={[
          { header: text('common.name'), cell: ({ name }) => name },
          {
            header: text('subscriptions.price'),
            isNumber: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          {
            header: text('plans.interval'),
            from: 'xs',
            cell: ({ interval, intervalCount }) =>
              text.count(`interval.${interval as (typeof plansModifyInterval)[number]}`, intervalCount),
          },
          {
            header: text('invoices.taxRate'),
            isNumber: true,
            from: 'sm',
            cell: ({ taxRate }) => (taxRate === null ? '–' : `${percentOf(taxRate)} %`),
          },
          { header: text('plans.trialDays'), isNumber: true, from: 'sm', cell: ({ trialDays }) => trialDays },
          {
            header: text('payments.status'),
            from: 'sm',
            cell: ({ state }) => (
              <Badge color={state ? 'green' : 'gray'}>{text(state ? 'state.active' : 'state.inactive')}</Badge>
            ),
          },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (plan) => (
              <Button variant="default" size="xs" onClick={() => setEdited(plan)}>
                {text('common.edit')}
              </Button>
            ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={() => (
          <EmptyState title={text('plans.none')}>
            <Text size="sm">{text('plans.noneHint')}</Text>
            {add}
          </EmptyState>
        )}
      />
      {edited !== undefined && (
        <PlanModal plan={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

function PlanModal({ plan, onClose }: { plan: Plan | undefined; onClose: () => void }) {
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
      bodyOf={({ name, amount, interval, intervalCount, trialDays, taxRate, state }) => ({
        ...(plan === undefined ? { livemode } : { id: plan.id }),
        name,
        currency,
        amount: minorUnits(amount),
        interval,
        intervalCount: Number(intervalCount),
        trialDays: Number(trialDays),
        taxRate: basisPointsOf(taxRate) ?? null,
        state: state === 'on',
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
          </SimpleGrid>
          <Switch name="state" label={text('state.active')} defaultChecked={plan?.state ?? true} />
        </>
      )}
    </FormModal>
  );
}
