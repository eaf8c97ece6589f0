import type { Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { daysOverdue } from './overdue.ts';

/** Mails the invoice or its receipt to the customer; an overdue one as a reminder. */
export function SendInvoice({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const email = useRead('customers.get', { id: invoice.customerId }).data?.data.email;
  const name = text(daysOverdue(invoice) > 0 ? 'invoices.remind' : 'invoices.send');
  const noEmail = email === null ? text('invoices.noEmail') : undefined;
  const unavailable = invoice.livemode ? noEmail : text('rule.no_mails_of_test');
  return (
    <DialogButton needs="invoice_write" variant="default" label={name} unavailable={unavailable}>
      {(dialog) => (
        <ConfirmModal
          {...dialog}
          title={text('invoices.sendTitle')}
          hint={text('invoices.sendTo', { email: email ?? '' })}
          submit={name}
          operation="invoices.send"
          isIdempotent
          body={{ id: invoice.id }}
        />
      )}
    </DialogButton>
  );
}
