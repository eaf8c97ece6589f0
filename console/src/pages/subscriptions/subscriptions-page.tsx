import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { subscriptionsListState } from '../../api/choices.ts';
import { useText } from '../../shell/preferences.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { SearchFilter } from '../../ui/filters/search-filter.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { CreateSubscriptionModal } from './create-subscription-modal.tsx';
import { useSubscriptionColumns } from './subscription-columns.tsx';
import { SubscriptionTotals } from './subscription-totals.tsx';

const filterNames = ['search', 'state', 'customerId', 'planId'] as const;

export default function SubscriptionsPage() {
  const text = useText();
  const [, navigate] = useLocation();
  const [isCreating, { open, close }] = useDisclosure(false);
  const columns = useSubscriptionColumns();
  return (
    <>
      <ListPage
        title={text('subscriptions.title')}
        operation="subscriptions.list"
        isExported
        filterNames={filterNames}
        actions={
          <PermittedButton needs="subscription_write" onClick={open}>
            {text('subscriptions.add')}
          </PermittedButton>
        }
        tabs={() => <SubscriptionTotals />}
        filters={({ filters, setFilters }) => (
          <>
            <SearchFilter value={filters.search} onChange={(search) => setFilters({ search })} />
            <FilterSelect
              label={text('payments.status')}
              options={subscriptionsListState}
              value={filters.state}
              onChange={(state) => setFilters({ state })}
            />
          </>
        )}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/subscriptions/${id}`}
        empty={() => (
          <EmptyState title={text('subscriptions.none')}>
            <Text size="sm">{text('subscriptions.noneHint')}</Text>
            <LinkText href="/plans">{text('subscriptions.toPlans')}</LinkText>
          </EmptyState>
        )}
      />
      <CreateSubscriptionModal
        opened={isCreating}
        onClose={close}
        onCreated={(id) => navigate(`/subscriptions/${id}`)}
      />
    </>
  );
}
