import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { SecretLink } from '../../ui/secrets/secret-link.tsx';

/** A link to the customer's own page, which works for an hour. */
export function PortalLink({ customerId }: { customerId: number }) {
  const text = useText();
  const [isOpen, setIsOpen] = useState(false);
  const [url, setUrl] = useState<string>();
  return (
    <>
      <PermittedButton needs="transaction_write" variant="default" onClick={() => setIsOpen(true)}>
        {text('portal.create')}
      </PermittedButton>
      <FormModal
        title={text('portal.create')}
        submit={text('checkouts.create')}
        opened={isOpen}
        onClose={() => setIsOpen(false)}
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
      <SecretLink title={text('portal.title')} hint={text('portal.once')} url={url} onClose={() => setUrl(undefined)} />
    </>
  );
}
