import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { checkoutsListStatus } from '../../api/choices.ts';
import type { CheckoutListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { CopyButton } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { CreateCheckoutModal } from './create-checkout-modal.tsx';

const filterNames = ['status', 'customerId', 'invoiceId', 'startDate', 'endDate'] as const;

/** Payment links: pages on which payers pay an amount or an invoice. */
export default function CheckoutsPage() {
  const text = useText();
  const mayWrite = useMay('transaction_write');
  const { filters, setFilters } = useFilters(filterNames);
  const [isCreating, setIsCreating] = useState(false);
  const [closed, setClosed] = useState<CheckoutListItem>();
  const add = (
    <PermittedButton needs="transaction_write" onClick={() => setIsCreating(true)} w="fit-content">
      {text('checkouts.add')}
    </PermittedButton>
  );
  return (
    <Page title={text('checkouts.title')} actions={add}>
      <FilterBar>
        <TimeFilters filters={filters} onChange={setFilters} />
        <FilterSelect
          label={text('payments.status')}
          options={checkoutsListStatus}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
      </FilterBar>
      <CursorList
        caption={text('checkouts.title')}
        operation="checkouts.list"
        query={filters}
        columns={[
          { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount, currency, invoiceId }) =>
              amount === null ? (
                <LinkText href={`/invoices/${invoiceId}`}>{text('checkouts.invoice')}</LinkText>
              ) : (
                <Money amount={amount} currency={currency} />
              ),
          },
          {
            header: text('invoices.toReturn'),
            isNumber: true,
            from: 'md',
            cell: ({ amountToReturn, currency }) =>
              amountToReturn > 0 && <Money amount={amountToReturn} currency={currency} />,
          },
          {
            header: text('payments.created'),
            from: 'sm',
            cell: ({ createdTime }) => <Time value={createdTime} />,
          },
          {
            header: text('payments.description'),
            from: 'md',
            cell: ({ description }) => (
              <Text size="sm" maw={280} truncate>
                {description}
              </Text>
            ),
          },
          { header: text('checkouts.expires'), from: 'md', cell: ({ expiresTime }) => <Time value={expiresTime} /> },
          {
            header: text('payment.title'),
            from: 'lg',
            cell: ({ transactionId }) =>
              transactionId && <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>,
          },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (checkout) => (
              <Group gap="xs" justify="flex-end" wrap="nowrap">
                {checkout.url !== null && <CopyButton value={checkout.url} label={text('checkouts.copy')} />}
                {checkout.status === 'OPEN' && mayWrite && (
                  <Button variant="default" size="xs" onClick={() => setClosed(checkout)}>
                    {text('common.close')}
                  </Button>
                )}
              </Group>
            ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={text('checkouts.none')}>
            <Text size="sm">{text('checkouts.noneHint')}</Text>
            {add}
          </EmptyState>
        }
      />
      <CreateCheckoutModal opened={isCreating} onClose={() => setIsCreating(false)} />
      <ConfirmModal
        title={text('checkouts.closeTitle')}
        hint={text('checkouts.closeHint')}
        submit={text('common.close')}
        isDangerous
        opened={closed !== undefined}
        onClose={() => setClosed(undefined)}
        operation="checkouts.expire"
        body={{ id: closed?.id }}
      />
    </Page>
  );
}
