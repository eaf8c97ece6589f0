import { Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import type { Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { ChannelSelect } from '../../ui/forms/channel-select.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { RecordPaymentModal } from '../payments/record-payment-modal.tsx';
import { InvoiceLink } from './invoice-link.tsx';
import { InvoiceModal } from './invoice-modal.tsx';
import { MissingSeller } from './missing-seller.tsx';
import { SendInvoice } from './send-invoice.tsx';

/** Edits or finalizes a draft, and pays or voids an open invoice. */
export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const [dialog, setDialog] = useState<'edit' | 'finalize' | 'pay' | 'record' | 'void'>();
  const close = () => setDialog(undefined);
  const { id, status } = invoice;
  return (
    <>
      {(status === 'DRAFT' || status === 'OPEN') && (
        <PermittedButton needs="invoice_write" variant="default" onClick={() => setDialog('void')}>
          {text('invoices.void')}
        </PermittedButton>
      )}
      {status === 'DRAFT' && (
        <PermittedButton needs="invoice_write" variant="default" onClick={() => setDialog('edit')}>
          {text('common.edit')}
        </PermittedButton>
      )}
      {(status === 'OPEN' || status === 'PAID') && <SendInvoice invoice={invoice} />}
      {status === 'OPEN' && <InvoiceLink invoice={invoice} />}
      {status === 'OPEN' && (
        <PermittedButton needs="invoice_write" variant="default" onClick={() => setDialog('record')}>
          {text('recordPayment.title')}
        </PermittedButton>
      )}
      {status === 'DRAFT' && (
        <PermittedButton needs="invoice_write" onClick={() => setDialog('finalize')}>
          {text('invoices.finalize')}
        </PermittedButton>
      )}
      {status === 'OPEN' && (
        <PermittedButton needs="invoice_write" onClick={() => setDialog('pay')}>
          {text('invoices.pay')}
        </PermittedButton>
      )}
      {/* Mounted when it opens, so that its fields start with the current values of the draft. */}
      {dialog === 'edit' && <InvoiceModal invoice={invoice} opened onClose={close} />}
      <ConfirmModal
        title={text('invoices.finalizeTitle')}
        hint={text('invoices.finalizeHint')}
        submit={text('invoices.finalize')}
        opened={dialog === 'finalize'}
        onClose={close}
        operation="invoices.finalize"
        body={{ id }}
      >
        <MissingSeller />
      </ConfirmModal>
      <FormModal
        title={text('invoices.voidTitle')}
        submit={text('invoices.void')}
        isDangerous
        opened={dialog === 'void'}
        onClose={close}
        operation="invoices.void"
        bodyOf={({ uncollectible }) => ({ id, ...(uncollectible === 'on' && { uncollectible: true }) })}
      >
        <Text size="sm">{text('invoices.voidHint')}</Text>
        {status === 'OPEN' && <Checkbox name="uncollectible" label={text('invoices.uncollectible')} />}
      </FormModal>
      <RecordPaymentModal of={{ invoice }} opened={dialog === 'record'} onClose={close} />
      <PayModal invoice={invoice} opened={dialog === 'pay'} onClose={close} />
    </>
  );
}

function PayModal({ invoice, opened, onClose }: { invoice: Invoice; opened: boolean; onClose: () => void }) {
  const text = useText();
  const customer = useRead('customers.get', { id: invoice.customerId }, { enabled: opened, isFresh: true });
  const payer = customer.data?.data;
  const namesChannel = [invoice.channelId, payer?.defaultChannelId].some((one) => one != null);
  return (
    <FormModal
      title={text('invoices.payTitle')}
      submit={text('invoices.pay')}
      opened={opened}
      onClose={onClose}
      operation="invoices.pay"
      isIdempotent
      bodyOf={({ amount, channelId }) => ({
        id: invoice.id,
        ...(amount && { amount: minorUnits(amount) }),
        ...(channelId && { channelId: Number(channelId) }),
      })}
    >
      {(errorOf) => (
        <>
          {payer !== undefined && (
            <ChannelSelect
              currency={invoice.currency}
              isOptional={namesChannel}
              description={text('invoices.channelHint')}
              error={errorOf('channelId')}
            />
          )}
          <MoneyField
            name="amount"
            label={text('payments.amount')}
            description={text('invoices.amountHint')}
            currency={invoice.currency}
            error={errorOf('amount')}
          />
        </>
      )}
    </FormModal>
  );
}
