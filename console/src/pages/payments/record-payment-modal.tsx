import { Alert, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Invoice } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { localTimeOf } from '../../format/zone.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { useUsableChannels } from '../../ui/forms/channel-select.tsx';
import { CurrencySelect } from '../../ui/forms/currency-select.tsx';
import { type ErrorOf, type Fields, FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { LinkText } from '../../ui/link-text.tsx';

interface RecordPaymentModalProps {
  /** What it pays: an open invoice, or something of a customer that has no invoice here. */
  of: { invoice: Invoice } | { customerId: number };
  opened: boolean;
  onClose: () => void;
}

/** Records money that has come another way: in cash, or by a transfer that no provider reports. */
export function RecordPaymentModal({ of, opened, onClose }: RecordPaymentModalProps) {
  const text = useText();
  const [, navigate] = useLocation();
  // What was received is final: the payment was only created to say so.
  const settling = useChange('transactions.update');
  const [received, setReceived] = useState<Fields>({});
  const record = (id: string) => {
    const { day, reference } = received;
    const metadata = { receivedOn: day, ...(reference && { reference }) };
    settling.mutate({ body: { id, status: 'SUCCESS', metadata } });
    // The payment shows what happened to it, and offers to record its outcome if that has failed.
    navigate(`/payments/${id}`);
  };
  const common = {
    title: text('recordPayment.title'),
    submit: text('recordPayment.title'),
    ...{ opened, onClose, isIdempotent: true },
  };
  if ('invoice' in of) {
    const { invoice } = of;
    return (
      <FormModal
        {...common}
        operation="invoices.pay"
        bodyOf={(fields) => {
          setReceived(fields);
          return { id: invoice.id, channelId: Number(fields.channelId), amount: minorUnits(fields.amount) };
        }}
        onDone={({ data }) => record(data.transactionId)}
      >
        {(errorOf) => <ReceivedFields currency={invoice.currency} amount={invoice.amountRemaining} errorOf={errorOf} />}
      </FormModal>
    );
  }
  return (
    <FormModal
      {...common}
      operation="transactions.create"
      bodyOf={(fields) => {
        setReceived(fields);
        return {
          customerId: of.customerId,
          channelId: Number(fields.channelId),
          currency: fields.currency,
          amount: minorUnits(fields.amount),
          ...(fields.description && { description: fields.description }),
        };
      }}
      onDone={({ data }) => record(data.id)}
    >
      {(errorOf) => <OfCustomer errorOf={errorOf} />}
    </FormModal>
  );
}

function OfCustomer({ errorOf }: { errorOf: ErrorOf }) {
  const text = useText();
  const [currency, setCurrency] = useState('EUR');
  return (
    <>
      <CurrencySelect value={currency} onChange={setCurrency} error={errorOf('currency')} />
      <input type="hidden" name="currency" value={currency} />
      <ReceivedFields currency={currency} errorOf={errorOf} />
      <TextInput name="description" label={text('payments.description')} error={errorOf('description')} />
    </>
  );
}

interface ReceivedFieldsProps {
  currency: string;
  amount?: number;
  errorOf: ErrorOf;
}

function ReceivedFields({ currency, amount, errorOf }: ReceivedFieldsProps) {
  const text = useText();
  const { timeZone } = usePreferences();
  const channels = useUsableChannels(currency)?.filter(({ provider }) => provider === null);
  if (channels?.length === 0) {
    return (
      <Alert color="yellow" title={text('recordPayment.noChannel', { currency })}>
        <Text size="sm">{text('recordPayment.noChannelHint')}</Text>
        <LinkText href="/channels">{text('channels.title')}</LinkText>
      </Alert>
    );
  }
  return (
    <>
      <MoneyField
        key={currency}
        name="amount"
        label={text('payments.amount')}
        currency={currency}
        defaultAmount={amount}
        error={errorOf('amount')}
        required
      />
      <TextInput
        name="day"
        type="date"
        label={text('recordPayment.day')}
        defaultValue={localTimeOf(new Date().toISOString(), timeZone).slice(0, 10)}
        required
      />
      <Select
        key={`${currency} ${channels?.length}`}
        name="channelId"
        label={text('recordPayment.way')}
        data={channels?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
        defaultValue={channels?.[0] ? String(channels[0].id) : null}
        error={errorOf('channelId')}
        allowDeselect={false}
        required
      />
      <TextInput name="reference" label={text('recordPayment.reference')} maxLength={200} />
    </>
  );
}
