import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { plansModifyInterval } from '../../api/choices.ts';
import type { Plan } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { percentText } from '../../format/percent.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { PlanModal } from './plan-modal.tsx';

export default function PlansPage() {
  const text = useText();
  const { locale } = usePreferences();
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
            cell: ({ taxRate }) => (taxRate === null ? '–' : percentText(taxRate, locale)),
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
              <Button variant="default" size="xs" style={{ zIndex: 1 }} onClick={() => setEdited(plan)}>
                {text('common.edit')}
              </Button>
            ),
          },
        ]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/plans/${id}`}
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
