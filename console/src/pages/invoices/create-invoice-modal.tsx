import { Button, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { currencyCodes } from '../../../../server/src/core/currency.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { type ErrorOf, type Fields, FormModal } from '../../ui/form-modal.tsx';
import { MoneyField, minorUnitsOf } from '../../ui/money-field.tsx';

interface CreateInvoiceModalProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: number) => void;
}

/** A draft: nothing is owed before it is finalized. */
export function CreateInvoiceModal({ opened, onClose, onCreated }: CreateInvoiceModalProps) {
  const text = useText();
  const customers = useRead('customers.list', { pageSize: 100 }, { enabled: opened });
  const [currency, setCurrency] = useState('EUR');
  const [lines, setLines] = useState([0]);
  return (
    <FormModal
      title={text('invoices.add')}
      submit={text('invoices.create')}
      opened={opened}
      onClose={onClose}
      size="xl"
      operation="invoices.create"
      isIdempotent
      bodyOf={(fields) => ({
        customerId: Number(fields.customerId),
        currency,
        lines: lines.map((line) => lineOf(fields, line, currency)),
        ...(fields.description && { description: fields.description }),
        ...(fields.dueDate && { dueDate: fields.dueDate }),
      })}
      onDone={({ data }) => onCreated(data.id)}
    >
      {(errorOf) => (
        <>
          <Group gap="sm" grow>
            <Select
              name="customerId"
              label={text('payment.customer')}
              data={customers.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
              error={errorOf('customerId')}
              searchable
              required
            />
            <Select
              label={text('ledger.currency')}
              data={[...currencyCodes]}
              value={currency}
              onChange={(chosen) => chosen !== null && setCurrency(chosen)}
              error={errorOf('currency')}
              searchable
              allowDeselect={false}
            />
            <TextInput name="dueDate" type="date" label={text('invoices.due')} error={errorOf('dueDate')} />
          </Group>
          <Stack gap="xs">
            {lines.map((line, index) => (
              <LineFields key={line} line={line} index={index} currency={currency} errorOf={errorOf} />
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
            </Group>
          </Stack>
          <TextInput name="description" label={text('payments.description')} error={errorOf('description')} />
        </>
      )}
    </FormModal>
  );
}

interface LineFieldsProps {
  line: number;
  index: number;
  currency: string;
  errorOf: ErrorOf;
}

function LineFields({ line, index, currency, errorOf }: LineFieldsProps) {
  const text = useText();
  const error = (field: string) => errorOf(`lines.${index}.${field}`);
  return (
    <Group gap="xs" align="start" grow preventGrowOverflow={false}>
      <TextInput
        name={`description-${line}`}
        label={text('payments.description')}
        error={error('description')}
        miw={180}
        required
      />
      <NumberInput
        name={`quantity-${line}`}
        label={text('invoices.quantity')}
        defaultValue={1}
        min={1}
        maw={100}
        error={error('quantity')}
        required
      />
      <MoneyField
        name={`unitAmount-${line}`}
        label={text('invoices.unitAmount')}
        currency={currency}
        maw={160}
        error={error('unitAmount')}
        required
      />
      <NumberInput
        name={`taxRate-${line}`}
        label={text('invoices.taxRate')}
        suffix=" %"
        min={0}
        max={100}
        decimalScale={2}
        maw={100}
        error={error('taxRate')}
      />
    </Group>
  );
}

/** Tax rates are sent in hundredths of a percent. */
function lineOf(fields: Fields, line: number, currency: string) {
  const taxRate = Number.parseFloat(fields[`taxRate-${line}`] ?? '');
  return {
    description: fields[`description-${line}`],
    quantity: Number(fields[`quantity-${line}`]),
    unitAmount: minorUnitsOf(fields[`unitAmount-${line}`], currency),
    ...(!Number.isNaN(taxRate) && { taxRate: Math.round(taxRate * 100) }),
  };
}
