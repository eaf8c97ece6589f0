import { useState } from 'react';
import type { Invoice } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { SecretLink } from '../../ui/secrets/secret-link.tsx';
import { CreateCheckoutModal } from '../checkouts/create-checkout-modal.tsx';

/** Creates a link to a page on which the customer pays this invoice. */
export function InvoiceLink({ invoice }: { invoice: Invoice }) {
  const text = useText();
  const [isCreating, setIsCreating] = useState(false);
  const [url, setUrl] = useState<string>();
  return (
    <>
      <PermittedButton needs="invoice_write" variant="default" onClick={() => setIsCreating(true)}>
        {text('checkouts.one')}
      </PermittedButton>
      <CreateCheckoutModal
        invoice={invoice}
        opened={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={setUrl}
      />
      <SecretLink
        title={text('checkouts.ready')}
        hint={text('checkouts.readyHint')}
        url={url}
        onClose={() => setUrl(undefined)}
      />
    </>
  );
}
