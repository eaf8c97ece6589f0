import { Button, Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import type { TransactionDetail } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { curlOf } from './curl.ts';

export function PaymentActions({ payment }: { payment: TransactionDetail }) {
  const text = useText();
  const [dialog, setDialog] = useState<'refund' | 'cancel' | 'capture' | 'release'>();
  const { copied, copy } = useClipboard();
  const close = () => setDialog(undefined);
  const isOpen = payment.status === 'PENDING' || payment.status === 'PROCESSING';
  const isPaid = payment.status === 'SUCCESS' || payment.status === 'REFUNDED';
  const isRefundable = isPaid && refundableOf(payment) > 0;
  const isCapturable = isOpen && payment.amountCapturable > 0;
  const isCaptured = payment.amountCaptured > 0;
  return (
    <>
      {typeof payment.nextAction?.url === 'string' && isOpen && (
        <Button
          component="a"
          variant="default"
          href={payment.nextAction.url}
          target="_blank"
          rel="noreferrer"
          rightSection={<Icon name="external" size={14} />}
        >
          {text('payment.payerPage')}
        </Button>
      )}
      <Button variant="default" onClick={() => copy(curlOf(payment))}>
        {copied ? text('common.copied') : text('payment.copyCurl')}
      </Button>
      {isOpen && <RecordOutcome payment={payment} />}
      {isOpen && !isCaptured && (
        <PermittedButton needs="transaction_write" variant="default" onClick={() => setDialog('cancel')}>
          {text('payment.cancel')}
        </PermittedButton>
      )}
      {isCapturable && isCaptured && (
        <PermittedButton needs="transaction_write" variant="default" onClick={() => setDialog('release')}>
          {text('payment.release')}
        </PermittedButton>
      )}
      {isCapturable && (
        <PermittedButton needs="transaction_write" onClick={() => setDialog('capture')}>
          {text('payment.capture')}
        </PermittedButton>
      )}
      {isPaid && (
        <PermittedButton
          needs="transaction_refund"
          onClick={() => setDialog('refund')}
          unavailable={
            isRefundable ? undefined : text(payment.amountDisputed > 0 ? 'payment.disputed' : 'payment.allRefunded')
          }
        >
          {text('payment.refund')}
        </PermittedButton>
      )}
      <RefundModal payment={payment} opened={dialog === 'refund'} onClose={close} />
      <CaptureModal payment={payment} opened={dialog === 'capture'} onClose={close} />
      <ConfirmModal
        title={text('payment.releaseTitle')}
        hint={text('payment.releaseHint')}
        submit={text('payment.release')}
        opened={dialog === 'release'}
        onClose={close}
        operation="transactions.release"
        isIdempotent
        body={{ id: payment.id }}
      />
      <ConfirmModal
        title={text('payment.cancelTitle')}
        hint={text('payment.cancelHint')}
        submit={text('payment.cancel')}
        isDangerous
        opened={dialog === 'cancel'}
        onClose={close}
        operation="transactions.update"
        isIdempotent
        body={{ id: payment.id, status: 'CANCELLED' }}
      />
    </>
  );
}

/** What a refund can return: what disputes have withdrawn is with the payer already. */
const refundableOf = ({ amountCaptured, amountRefunded, amountDisputed }: TransactionDetail) =>
  Math.max(0, amountCaptured - amountRefunded - amountDisputed);

interface AmountModalProps {
  payment: TransactionDetail;
  opened: boolean;
  onClose: () => void;
}

function RefundModal({ payment, opened, onClose }: AmountModalProps) {
  const text = useText();
  const { currency, id } = payment;
  const rest = refundableOf(payment);
  return (
    <FormModal
      title={text('payment.refundTitle')}
      submit={text('payment.refund')}
      opened={opened}
      onClose={onClose}
      operation="refunds.create"
      isIdempotent
      bodyOf={({ amount, reason }) => ({
        transactionId: id,
        amount: minorUnits(amount),
        ...(reason && { reason }),
      })}
    >
      {(errorOf) => (
        <>
          <MoneyField
            name="amount"
            label={text('payments.amount')}
            description={
              <>
                {text('payment.refundHint')} <Money amount={rest} currency={currency} />
              </>
            }
            currency={currency}
            defaultAmount={rest}
            error={errorOf('amount')}
            required
            data-autofocus
          />
          <TextInput name="reason" label={text('payment.reason')} maxLength={255} error={errorOf('reason')} />
        </>
      )}
    </FormModal>
  );
}

function CaptureModal({ payment, opened, onClose }: AmountModalProps) {
  const text = useText();
  const { currency, id, amountCapturable } = payment;
  return (
    <FormModal
      title={text('payment.captureTitle')}
      submit={text('payment.capture')}
      opened={opened}
      onClose={onClose}
      operation="transactions.capture"
      isIdempotent
      bodyOf={({ amount, more }) => ({ id, amount: minorUnits(amount), final: more === undefined })}
    >
      {(errorOf) => (
        <>
          <MoneyField
            name="amount"
            label={text('payments.amount')}
            description={
              <>
                {text('payment.captureHint')} <Money amount={amountCapturable} currency={currency} />
              </>
            }
            currency={currency}
            defaultAmount={amountCapturable}
            error={errorOf('amount')}
            required
            data-autofocus
          />
          <Checkbox name="more" label={text('payment.captureMore')} error={errorOf('final')} />
        </>
      )}
    </FormModal>
  );
}

/** Only for channels without a provider, which do not report an outcome. */
function RecordOutcome({ payment }: { payment: TransactionDetail }) {
  const text = useText();
  const mayReadChannels = useMay('channel_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels });
  const channel = channels.data?.data.find(({ id }) => id === payment.channelId);
  if (channel === undefined || channel.provider !== null) return null;
  return (
    <DialogButton needs="transaction_write" variant="default" label={text('payment.record')}>
      {(dialog) => (
        <FormModal
          {...dialog}
          title={text('payment.recordTitle')}
          submit={text('common.save')}
          operation="transactions.update"
          isIdempotent
          bodyOf={({ status }) => ({ id: payment.id, status })}
        >
          <Text size="sm">{text('payment.recordHint')}</Text>
          <Select
            name="status"
            label={text('payments.status')}
            defaultValue="SUCCESS"
            allowDeselect={false}
            data={(['SUCCESS', 'FAILED'] as const).map((value) => ({ value, label: text(`status.${value}`) }))}
          />
        </FormModal>
      )}
    </DialogButton>
  );
}
