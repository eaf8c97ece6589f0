import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { daysOverdue } from './overdue.ts';

/** Mails the invoice or its receipt to the customer, an overdue one as a reminder, and says so. */
export function SendInvoice({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const email = useRead('customers.get', { id: invoice.customerId }).data?.data.email;
  const name = text(daysOverdue(invoice) > 0 ? 'invoices.remind' : 'invoices.send');
  const noEmail = email === null ? text('invoices.noEmail') : undefined;
  const { sendsMail } = useProfile();
  const [sentTo, setSentTo] = useState<string>();
  const unavailable = invoice.livemode ? noEmail : text('rule.no_mails_of_test');
  return (
    <>
      <DialogButton needs="invoice_write" variant="default" label={name} unavailable={unavailable}>
        {(dialog) => (
          <ConfirmModal
            {...dialog}
            title={text('invoices.sendTitle')}
            hint={text(sendsMail ? 'invoices.sendTo' : 'invoices.sendToFile', { email: email ?? '' })}
            submit={name}
            operation="invoices.send"
            isIdempotent
            body={{ id: invoice.id }}
            onDone={() => setSentTo(email ?? undefined)}
          />
        )}
      </DialogButton>
      {sentTo !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {text(sendsMail ? 'invoices.sentTo' : 'invoices.writtenFor', { email: sentTo })}
        </Text>
      )}
    </>
  );
}
