import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { DialogButton } from '../../ui/forms/dialog-button.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { SecretLink } from '../../ui/secrets/secret-link.tsx';

/** A link to the customer's own page, which works for an hour. */
export function PortalLink({ customerId }: { customerId: number }) {
  const text = useText();
  const [url, setUrl] = useState<string>();
  return (
    <>
      <DialogButton needs="transaction_write" variant="default" label={text('portal.create')}>
        {(dialog) => (
          <FormModal
            {...dialog}
            title={text('portal.create')}
            submit={text('checkouts.create')}
            operation="customers.createPortal"
            bodyOf={({ returnUrl }) => ({ customerId, ...(returnUrl && { returnUrl }) })}
            onDone={({ data }) => setUrl(data.url)}
          >
            {(errorOf) => (
              <>
                <Text size="sm">{text('portal.hint')}</Text>
                <TextInput
                  name="returnUrl"
                  type="url"
                  label={text('portal.returnUrl')}
                  error={errorOf('returnUrl')}
                  data-autofocus
                />
              </>
            )}
          </FormModal>
        )}
      </DialogButton>
      <SecretLink title={text('portal.title')} hint={text('portal.once')} url={url} onClose={() => setUrl(undefined)} />
    </>
  );
}
