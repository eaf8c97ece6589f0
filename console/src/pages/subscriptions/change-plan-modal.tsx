import { Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { InvoicePreview, Subscription } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money, moneyText } from '../../format/money.tsx';
import { percentText } from '../../format/percent.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { taxesByRate } from '../invoices/taxes.ts';

interface ChangePlanModalProps {
  subscription: Subscription;
  opened: boolean;
  onClose: () => void;
}

const pauseMs = 300;

/** Changes plan and quantity, and shows the next invoice as it would be then. */
export function ChangePlanModal({ subscription, opened, onClose }: ChangePlanModalProps) {
  const text = useText();
  const { locale } = usePreferences();
  const { id, currency } = subscription;
  const [planId, setPlanId] = useState(String(subscription.planId));
  const [quantity, setQuantity] = useState<number | string>(subscription.quantity);
  const [atPeriodEnd, setAtPeriodEnd] = useState(false);
  const plans = useRead('plans.list', { state: true, pageSize: 100 }, { enabled: opened, isFresh: true });
  const offered = plans.data?.data.filter((plan) => plan.currency === currency) ?? [];
  const change = { planId: Number(planId), quantity: Number(quantity), atPeriodEnd };
  return (
    <FormModal
      title={text('subscriptions.changePlan')}
      submit={text('subscriptions.changePlan')}
      opened={opened}
      onClose={onClose}
      size="lg"
      operation="subscriptions.update"
      isIdempotent
      bodyOf={() => ({ id, ...change })}
    >
      {(errorOf) => (
        <>
          <Select
            label={text('plans.one')}
            data={offered.map(({ id: value, name, amount }) => ({
              value: String(value),
              label: `${name} · ${moneyText(amount, currency, locale)}`,
            }))}
            value={planId}
            onChange={(chosen) => setPlanId(chosen ?? planId)}
            error={errorOf('planId')}
            searchable
            allowDeselect={false}
          />
          <NumberInput
            label={text('invoices.quantity')}
            value={quantity}
            onChange={setQuantity}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            error={errorOf('quantity')}
            required
          />
          <Switch
            label={text('subscriptions.changeAtPeriodEnd')}
            checked={atPeriodEnd}
            onChange={({ currentTarget }) => setAtPeriodEnd(currentTarget.checked)}
          />
          {opened && <Preview id={id} change={change} />}
        </>
      )}
    </FormModal>
  );
}

interface PreviewProps {
  id: number;
  change: { planId: number; quantity: number; atPeriodEnd: boolean };
}

/** The next invoice as it would be after the change. */
function Preview({ id, change }: PreviewProps) {
  const text = useText();
  const [{ planId, quantity, atPeriodEnd }] = useDebouncedValue(change, pauseMs);
  const preview = useRead('subscriptions.preview', { id, planId, quantity, atPeriodEnd }, { enabled: quantity >= 1 });
  // Null: none follows.
  const invoice = preview.data?.data ?? undefined;
  return (
    <Stack gap="xs" aria-live="polite">
      <ErrorNote error={preview.error} />
      {invoice !== undefined && (
        <>
          <Text size="sm" fw={500}>
            {text('subscriptions.nextInvoice')} <Time value={invoice.invoiceTime} />
          </Text>
          <DataTable
            caption={text('subscriptions.nextInvoice')}
            columns={[
              { header: text('payments.description'), cell: ({ description }) => description },
              { header: text('invoices.quantity'), isNumber: true, from: 'xs', cell: (line) => line.quantity },
              {
                header: text('payments.amount'),
                isNumber: true,
                cell: ({ amount }) => <Money amount={amount} currency={invoice.currency} />,
              },
            ]}
            rows={invoice.lines}
            keyOf={(line) => invoice.lines.indexOf(line)}
            empty={null}
          />
          <Totals invoice={invoice} />
        </>
      )}
    </Stack>
  );
}

/** How the lines lead to the total: what they are without tax, and the tax of each rate. */
function Totals({ invoice: { lines, subtotal, total, currency } }: { invoice: InvoicePreview }) {
  const text = useText();
  const { locale } = usePreferences();
  const nameOf = (taxRate: number | null) =>
    taxRate === null ? text('invoices.tax') : `${text('invoices.tax')} ${percentText(taxRate, locale)}`;
  const taxes = taxesByRate(lines);
  return (
    <Stack gap={2}>
      {taxes.length > 0 && <SumRow name={text('invoices.subtotal')} amount={subtotal} currency={currency} />}
      {taxes.map(({ taxRate, amount }) => (
        <SumRow key={taxRate} name={nameOf(taxRate)} amount={amount} currency={currency} />
      ))}
      <SumRow name={text('invoices.total')} amount={total} currency={currency} isTotal />
    </Stack>
  );
}

interface SumRowProps {
  name: string;
  amount: number | bigint;
  currency: string;
  isTotal?: boolean;
}

function SumRow({ name, amount, currency, isTotal = false }: SumRowProps) {
  return (
    <Group justify="space-between" gap="md" px="sm" fz="sm" fw={isTotal ? 600 : undefined}>
      <span>{name}</span>
      <Money amount={amount} currency={currency} />
    </Group>
  );
}
