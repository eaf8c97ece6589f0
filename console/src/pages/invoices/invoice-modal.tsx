import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Invoice, InvoiceLine } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { useText } from '../../shell/preferences.tsx';
import { CurrencySelect } from '../../ui/forms/currency-select.tsx';
import { CustomerSelect } from '../../ui/forms/customer-select.tsx';
import { type ErrorOf, type Fields, FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { basisPointsOf, TaxField } from '../../ui/forms/tax-field.tsx';

interface InvoiceModalProps {
  /** The draft to edit; undefined: a new one. */
  invoice?: Invoice;
  opened: boolean;
  onClose: () => void;
  onSaved?: (id: number) => void;
}

/** Creates or edits a draft. */
export function InvoiceModal({ invoice, opened, onClose, onSaved }: InvoiceModalProps) {
  const text = useText();
  const [customerId, setCustomerId] = useState<string | null>(null);
  const [currency, setCurrency] = useState(invoice?.currency ?? 'EUR');
  const [lines, setLines] = useState(() => invoice?.lines.map((_, index) => index) ?? [0]);
  const former = (line: number) => invoice?.lines[line];
  const { total, lineFields, readTotal } = useRunningTotal(lines);
  return (
    <FormModal
      title={text(invoice === undefined ? 'invoices.add' : 'invoices.edit')}
      submit={text('invoices.create')}
      opened={opened}
      onClose={onClose}
      size="xl"
      operation={invoice === undefined ? 'invoices.create' : 'invoices.modify'}
      isIdempotent={invoice === undefined}
      bodyOf={(fields) => ({
        ...(invoice === undefined ? { customerId: Number(customerId), currency } : { id: invoice.id }),
        lines: lines.map((line) => lineOf(fields, line, former(line))),
        ...textOf('description', fields, invoice),
        ...textOf('dueDate', fields, invoice),
      })}
      onDone={({ data }) => onSaved?.(data.id)}
    >
      {(errorOf) => (
        <>
          <Group gap="sm" grow>
            {invoice === undefined && (
              <>
                <CustomerSelect value={customerId} onChange={setCustomerId} error={errorOf('customerId')} />
                <CurrencySelect value={currency} onChange={setCurrency} error={errorOf('currency')} />
              </>
            )}
            <TextInput
              name="dueDate"
              type="date"
              label={text('invoices.due')}
              defaultValue={invoice?.dueDate ?? ''}
              error={errorOf('dueDate')}
            />
          </Group>
          <Stack gap="xs" ref={lineFields} onInput={readTotal} onBlur={readTotal}>
            {lines.map((line, index) => (
              <LineFields
                key={line}
                line={line}
                index={index}
                former={former(line)}
                currency={currency}
                errorOf={errorOf}
              />
            ))}
            <Group gap="xs">
              <Button variant="default" size="xs" onClick={() => setLines([...lines, Math.max(...lines) + 1])}>
                {text('invoices.addLine')}
              </Button>
              {lines.length > 1 && (
                <Button variant="subtle" color="gray" size="xs" onClick={() => setLines(lines.slice(0, -1))}>
                  {text('invoices.removeLine')}
                </Button>
              )}
              <Text size="sm" ml="auto" aria-live="polite">
                {text('invoices.subtotal')}:{' '}
                <b>
                  <Money amount={total} currency={currency} />
                </b>
              </Text>
            </Group>
          </Stack>
          <TextInput
            name="description"
            label={text('payments.description')}
            defaultValue={invoice?.description ?? ''}
            error={errorOf('description')}
          />
        </>
      )}
    </FormModal>
  );
}

/** The sum of the lines while they are typed, without tax, which the service rounds. */
function useRunningTotal(lines: readonly number[]) {
  const [total, setTotal] = useState(0n);
  const lineFields = useRef<HTMLDivElement>(null);
  const read = () => {
    const form = lineFields.current?.closest('form');
    if (!form) return;
    const fields = new FormData(form);
    const amounts = lines.map((line) => {
      const quantity = String(fields.get(`quantity-${line}`));
      const unitAmount = String(fields.get(`unitAmount-${line}`));
      return [quantity, unitAmount].every((part) => /^\d+$/.test(part)) ? BigInt(quantity) * BigInt(unitAmount) : 0n;
    });
    setTotal(amounts.reduce((sum, amount) => sum + amount, 0n));
  };
  useEffect(read, [lines]);
  // The hidden field of an amount has its new value after this event.
  return { total, lineFields, readTotal: () => setTimeout(read) };
}

interface LineFieldsProps {
  line: number;
  index: number;
  former: InvoiceLine | undefined;
  currency: string;
  errorOf: ErrorOf;
}

function LineFields({ line, index, former, currency, errorOf }: LineFieldsProps) {
  const text = useText();
  const error = (field: string) => errorOf(`lines.${index}.${field}`);
  return (
    <Group gap="xs" align="start" grow preventGrowOverflow={false}>
      <TextInput
        name={`description-${line}`}
        label={text('payments.description')}
        error={error('description')}
        miw={180}
        defaultValue={former?.description}
        required
      />
      <NumberInput
        name={`quantity-${line}`}
        label={text('invoices.quantity')}
        defaultValue={former?.quantity ?? 1}
        min={1}
        maw={100}
        error={error('quantity')}
        required
      />
      <MoneyField
        name={`unitAmount-${line}`}
        label={text('invoices.unitAmount')}
        currency={currency}
        defaultAmount={former?.unitAmount}
        maw={160}
        error={error('unitAmount')}
        required
      />
      <TaxField name={`taxRate-${line}`} taxRate={former?.taxRate} maw={100} error={error('taxRate')} />
    </Group>
  );
}

/** A field that was emptied is cleared in an existing draft. */
function textOf(name: 'description' | 'dueDate', fields: Fields, invoice: Invoice | undefined) {
  if (fields[name]) return { [name]: fields[name] };
  return invoice === undefined ? {} : { [name]: null };
}

/** Keeps a tax that was given as an amount, unless a rate is entered. */
function lineOf(fields: Fields, line: number, former: InvoiceLine | undefined) {
  const taxRate = basisPointsOf(fields[`taxRate-${line}`]);
  const taxAmount = former?.taxRate === null && former.taxAmount > 0 ? former.taxAmount : undefined;
  return {
    description: fields[`description-${line}`],
    quantity: Number(fields[`quantity-${line}`]),
    unitAmount: minorUnits(fields[`unitAmount-${line}`]),
    ...(taxRate !== undefined ? { taxRate } : taxAmount !== undefined && { taxAmount }),
  };
}
