import type { Invoice } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { CreateCheckoutModal } from '../checkouts/create-checkout-modal.tsx';

/** Creates a link to a page on which the customer pays this invoice. */
export function InvoiceLink({ invoice }: { invoice: Invoice }) {
  const text = useText();
  return (
    <DialogButton needs="invoice_write" variant="default" label={text('checkouts.one')}>
      {(dialog) => <CreateCheckoutModal {...dialog} invoice={invoice} />}
    </DialogButton>
  );
}
