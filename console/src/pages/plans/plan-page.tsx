import { Badge, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type plansModifyInterval, subscriptionsListState } from '../../api/choices.ts';
import { useListPage, useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { percentText } from '../../format/percent.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { useFilters, usePlace } from '../../ui/filters/use-filters.ts';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { Paging } from '../../ui/tables/paging.tsx';
import { useSubscriptionColumns } from '../subscriptions/subscription-columns.tsx';
import { PlanModal } from './plan-modal.tsx';

export default function PlanPage({ id }: { id: string }) {
  const text = useText();
  const { locale } = usePreferences();
  const [isEditing, { open, close }] = useDisclosure(false);
  const read = useRead('plans.get', { id });
  return (
    <RecordPage title={text('plans.one')} listPath="/plans" read={read}>
      {(plan) => (
        <Page
          title={plan.name}
          beside={
            <>
              <Text size="lg" fw={600}>
                <Money amount={plan.amount} currency={plan.currency} />
              </Text>
              <Badge color={plan.state ? 'green' : 'gray'}>
                {text(plan.state ? 'state.active' : 'state.inactive')}
              </Badge>
            </>
          }
          actions={
            <PermittedButton needs="subscription_write" variant="default" onClick={open}>
              {text('common.edit')}
            </PermittedButton>
          }
        >
          <Facts
            facts={[
              [
                text('plans.interval'),
                text.count(`interval.${plan.interval as (typeof plansModifyInterval)[number]}`, plan.intervalCount),
              ],
              [text('plans.trialDays'), plan.trialDays],
              [text('invoices.taxRate'), plan.taxRate !== null && percentText(plan.taxRate, locale)],
              [text('payments.created'), <Time key="created" value={plan.createdTime} />],
            ]}
          />
          <Subscribers planId={plan.id} />
          {isEditing && <PlanModal plan={plan} onClose={close} />}
        </Page>
      )}
    </RecordPage>
  );
}

const filterNames = ['state'] as const;

function Subscribers({ planId }: { planId: number }) {
  const text = useText();
  const place = usePlace();
  const { filters, setFilters } = useFilters(filterNames);
  const [, ...columns] = useSubscriptionColumns();
  const read = useListPage('subscriptions.list', { ...filters, planId, pageSize: 25 }, place);
  return (
    <Section title={text('plans.subscribers')}>
      <FilterBar>
        <FilterSelect
          label={text('payments.status')}
          options={subscriptionsListState}
          value={filters.state}
          onChange={(state) => setFilters({ state })}
        />
      </FilterBar>
      <ErrorNote error={read.error} onRetry={() => read.refetch()} />
      <DataTable
        caption={text('plans.subscribers')}
        columns={columns}
        rows={read.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/subscriptions/${id}`}
        empty={<EmptyState title={text('plans.noSubscribers')} />}
      />
      <Paging pagination={read.data?.pagination} onPlace={setFilters} />
    </Section>
  );
}
