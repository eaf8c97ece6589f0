import { MultiSelect, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Invoice } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { NoChannel, useUsableChannels } from '../../ui/forms/channel-select.tsx';
import { CurrencySelect } from '../../ui/forms/currency-select.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { MoneyField, minorUnits } from '../../ui/forms/money-field.tsx';
import { SecretLink } from '../../ui/secrets/secret-link.tsx';

interface CreateCheckoutModalProps {
  opened: boolean;
  onClose: () => void;
  /** The link is for the remaining amount of this invoice. */
  invoice?: Pick<Invoice, 'id' | 'currency' | 'customerId' | 'channelId'>;
}

const daySeconds = 86_400;
const validDays = [1, 7, 30, 90];

/** Creates a page on which a payer pays an amount or an invoice, and shows the link to it. */
export function CreateCheckoutModal({ opened, onClose, invoice }: CreateCheckoutModalProps) {
  const text = useText();
  const { tenants, tenantId } = useTenant();
  const [typedCurrency, setCurrency] = useState('EUR');
  const [channelIds, setChannelIds] = useState<string[]>([]);
  const [url, setUrl] = useState<string>();
  const currency = invoice?.currency ?? typedCurrency;
  const customer = useRead(
    'customers.get',
    { id: invoice?.customerId },
    { enabled: opened && invoice !== undefined, isFresh: true },
  );
  const channels = useUsableChannels(currency, opened);
  const chosen = channels?.find(({ id }) => String(id) === channelIds[0]);
  // A page has one tenant: that of its first channel.
  const isOfAllTenants = tenants.length > 0 && tenantId === undefined;
  const usable = channels?.filter(
    (channel) => !isOfAllTenants || chosen === undefined || [null, chosen.tenantId].includes(channel.tenantId),
  );
  const namesChannel = [invoice?.channelId, customer.data?.data.defaultChannelId].some((one) => one != null);
  return (
    <>
      <FormModal
        title={text('checkouts.add')}
        submit={text('checkouts.create')}
        opened={opened}
        onClose={onClose}
        size="lg"
        operation="checkouts.create"
        isIdempotent
        bodyOf={({ amount, description, days, returnUrl, captures }) => ({
          ...(invoice === undefined
            ? { amount: minorUnits(amount), currency, ...(description && { description }) }
            : { invoiceId: invoice.id }),
          ...((invoice === undefined || channelIds.length > 0) && { channelIds: channelIds.map(Number) }),
          expiresIn: Number(days) * daySeconds,
          ...(returnUrl && { returnUrl }),
          ...(captures === 'on' && { captureMethod: 'MANUAL' }),
        })}
        onDone={({ data }) => data.url !== null && setUrl(data.url)}
      >
        {(errorOf) => (
          <>
            {invoice === undefined && (
              <>
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                  <MoneyField
                    name="amount"
                    label={text('payments.amount')}
                    currency={currency}
                    error={errorOf('amount')}
                    required
                    data-autofocus
                  />
                  <CurrencySelect
                    value={currency}
                    onChange={(chosen) => {
                      setCurrency(chosen);
                      setChannelIds([]);
                    }}
                    error={errorOf('currency')}
                  />
                </SimpleGrid>
                <TextInput
                  name="description"
                  label={text('payments.description')}
                  description={text('checkouts.descriptionHint')}
                  error={errorOf('description')}
                />
              </>
            )}
            {usable?.length === 0 && <NoChannel currency={currency} />}
            <MultiSelect
              label={text('checkouts.channels')}
              description={text(namesChannel ? 'invoices.channelHint' : 'checkouts.channelsHint')}
              data={usable?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
              value={channelIds}
              onChange={setChannelIds}
              maxValues={5}
              error={errorOf('channelIds')}
              required={!namesChannel}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <Select
                name="days"
                label={text('checkouts.valid')}
                data={validDays.map((days) => ({ value: String(days), label: text.count('checkouts.days', days) }))}
                defaultValue={invoice === undefined ? '1' : '30'}
                error={errorOf('expiresIn')}
                allowDeselect={false}
              />
              <TextInput name="returnUrl" type="url" label={text('portal.returnUrl')} error={errorOf('returnUrl')} />
            </SimpleGrid>
            <Switch name="captures" label={text('checkouts.captureLater')} error={errorOf('captureMethod')} />
          </>
        )}
      </FormModal>
      <SecretLink
        title={text('checkouts.ready')}
        hint={text('checkouts.readyHint')}
        url={url}
        onClose={() => setUrl(undefined)}
      />
    </>
  );
}
