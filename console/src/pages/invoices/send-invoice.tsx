import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { daysOverdue } from './overdue.ts';

/** Mails the invoice or its receipt to the customer; an overdue one as a reminder. */
export function SendInvoice({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const [isOpen, { open, close }] = useDisclosure(false);
  const email = useRead('customers.get', { id: invoice.customerId }).data?.data.email;
  const name = text(daysOverdue(invoice) > 0 ? 'invoices.remind' : 'invoices.send');
  return (
    <>
      <PermittedButton
        needs="invoice_write"
        variant="default"
        onClick={open}
        unavailable={email === null ? text('invoices.noEmail') : undefined}
      >
        {name}
      </PermittedButton>
      <FormModal
        title={text('invoices.sendTitle')}
        submit={name}
        opened={isOpen}
        onClose={close}
        operation="invoices.send"
        isIdempotent
        bodyOf={() => ({ id: invoice.id })}
      >
        <Text size="sm">{text('invoices.sendTo', { email: email ?? '' })}</Text>
      </FormModal>
    </>
  );
}
