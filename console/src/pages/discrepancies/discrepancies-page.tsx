import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { discrepanciesListState } from '../../api/choices.ts';
import type { Discrepancy } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';

const filterNames = ['state'] as const;

/** Payments whose provider contradicts the ledger. */
export default function DiscrepanciesPage() {
  const text = useText();
  const [toClose, setToClose] = useState<Discrepancy>();
  return (
    <>
      <ListPage
        title={text('discrepancies.title')}
        operation="discrepancies.list"
        filterNames={filterNames}
        filters={({ filters, setFilters }) => (
          <FilterSelect
            label={text('payments.status')}
            options={discrepanciesListState}
            value={filters.state}
            onChange={(state) => setFilters({ state })}
          />
        )}
        columns={[
          { header: text('discrepancies.opened'), cell: ({ openedTime }) => <Time value={openedTime} /> },
          { header: text('payments.status'), cell: ({ state }) => <StatusBadge status={state} /> },
          {
            header: text('payment.title'),
            cell: ({ transactionId }) => (
              <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>
            ),
          },
          {
            header: text('discrepancies.reported'),
            from: 'sm',
            cell: ({ reported }) => reported && text(`reported.${reported}` as TextKey),
          },
          {
            header: text('payments.amount'),
            isNumber: true,
            from: 'sm',
            cell: ({ amount, currency }) =>
              amount !== null && currency !== null && <Money amount={amount} currency={currency} />,
          },
          { header: text('discrepancies.note'), from: 'md', cell: ({ note }) => note },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (discrepancy) =>
              // One that was closed without an outcome can still be ended.
              (discrepancy.state !== 'CLOSED' || discrepancy.reported === null) && (
                <PermittedButton
                  needs="transaction_refund"
                  variant="default"
                  size="xs"
                  onClick={() => setToClose(discrepancy)}
                >
                  {text('discrepancies.close')}
                </PermittedButton>
              ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={() => (
          <EmptyState title={text('discrepancies.none')}>
            <Text size="sm">{text('discrepancies.noneHint')}</Text>
          </EmptyState>
        )}
      />
      <FormModal
        title={text('discrepancies.closeTitle')}
        submit={text('discrepancies.close')}
        opened={toClose !== undefined}
        onClose={() => setToClose(undefined)}
        operation="discrepancies.close"
        bodyOf={({ note, outcome, reference }) => ({
          id: toClose?.id,
          note,
          ...(outcome && { outcome }),
          ...(outcome === 'SUCCEEDED' && reference && { reference }),
        })}
      >
        {(errorOf) => (
          <>
            <Textarea
              name="note"
              label={text('discrepancies.note')}
              description={text('discrepancies.noteHint')}
              error={errorOf('note')}
              required
              data-autofocus
            />
            <NativeSelect
              name="outcome"
              label={text('discrepancies.outcome')}
              description={text('discrepancies.outcomeHint')}
              error={errorOf('outcome')}
              data={[
                { value: '', label: text('discrepancies.outcome.none') },
                { value: 'SUCCEEDED', label: text('discrepancies.outcome.SUCCEEDED') },
                { value: 'FAILED', label: text('discrepancies.outcome.FAILED') },
              ]}
            />
            <TextInput
              name="reference"
              label={text('discrepancies.reference')}
              description={text('discrepancies.referenceHint')}
              error={errorOf('reference')}
            />
          </>
        )}
      </FormModal>
    </>
  );
}
