import { currencyCodes } from '@florin/server/core/currency.ts';
import { Title } from '@mantine/core';
import { ledgerEntriesAccount } from '../../api/choices.ts';
import type { AccountBalance } from '../../api/client.ts';
import { useListPage, useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { DayFilters } from '../../ui/filters/day-filters.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { useFilters, usePlace } from '../../ui/filters/use-filters.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { FinanceMenu } from '../../ui/tables/finance-menu.tsx';
import { Paging } from '../../ui/tables/paging.tsx';

const filterNames = ['account', 'currency', 'startDate', 'endDate'] as const;

export default function LedgerPage() {
  const text = useText();
  const place = usePlace();
  const { filters, setFilters } = useFilters(filterNames);
  const balances = useRead('ledger.balance');
  const entries = useListPage('ledger.entries', { ...filters, pageSize: 25 }, place);
  const booked = balances.data?.data.filter(({ debit, credit }) => debit !== '0' || credit !== '0') ?? [];
  const byCurrency = [...Map.groupBy(booked, ({ currency }) => currency)];
  const accountName = (account: AccountBalance['account']) => text(`ledger.${account}` as TextKey);
  return (
    <Page title={text('ledger.title')} actions={<FinanceMenu files={['finances.ledger']} query={filters} />}>
      <Section title={text('ledger.balances')}>
        <ErrorNote error={balances.error} onRetry={() => balances.refetch()} />
        {balances.data !== undefined && byCurrency.length === 0 && <EmptyState title={text('ledger.none')} />}
        {byCurrency.map(([currency, rows]) => (
          <section key={currency} aria-label={currency}>
            <Title order={3} size="h5" mb={4}>
              {currency}
            </Title>
            <DataTable
              caption={`${text('ledger.balances')} ${currency}`}
              columns={[
                { header: text('ledger.account'), cell: ({ account }) => accountName(account) },
                ...(['debit', 'credit', 'balance'] as const).map((side) => ({
                  header: text(`ledger.${side}` as TextKey),
                  isNumber: true,
                  from: side === 'balance' ? undefined : ('sm' as const),
                  cell: (row: AccountBalance) => <Money amount={row[side]} currency={currency} />,
                })),
              ]}
              rows={rows}
              keyOf={({ account }) => account}
              linkOf={({ account }) => `/ledger?${new URLSearchParams({ account, currency })}`}
              empty={null}
            />
          </section>
        ))}
      </Section>
      <Section title={text('ledger.entries')}>
        <FilterBar>
          <DayFilters filters={filters} onChange={setFilters} />
          <FilterSelect
            label={text('ledger.account')}
            options={ledgerEntriesAccount.map((account) => ({ value: account, label: accountName(account) }))}
            value={filters.account}
            onChange={(account) => setFilters({ account })}
          />
          <FilterSelect
            label={text('ledger.currency')}
            options={currencyCodes.map((code) => ({ value: code, label: code }))}
            value={filters.currency}
            onChange={(currency) => setFilters({ currency })}
          />
        </FilterBar>
        <ErrorNote error={entries.error} onRetry={() => entries.refetch()} />
        <DataTable
          caption={text('ledger.entries')}
          columns={[
            { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
            { header: text('ledger.account'), cell: ({ account }) => <Words>{accountName(account)}</Words> },
            { header: text('ledger.side'), cell: ({ side }) => <Words>{text(`ledger.${side}` as TextKey)}</Words> },
            {
              header: text('payments.amount'),
              isNumber: true,
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
            { header: text('ledger.counter'), from: 'md', cell: ({ counterAccount }) => accountName(counterAccount) },
            {
              header: text('payment.title'),
              from: 'sm',
              cell: ({ transactionId }) => (
                <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>
              ),
            },
          ]}
          rows={entries.data?.data}
          keyOf={(entry) => `${entry.transactionId} ${entry.refundId} ${entry.account} ${entry.side}`}
          empty={<EmptyState title={text('ledger.noEntries')} />}
        />
        <Paging pagination={entries.data?.pagination} onPlace={setFilters} />
      </Section>
    </Page>
  );
}

/** Text that a narrow column breaks only between words. */
function Words({ children }: { children: string }) {
  return <span style={{ overflowWrap: 'normal' }}>{children}</span>;
}
