import { Badge, Flex, Text } from '@mantine/core';
import { useState } from 'react';
import type { ChannelListItem, Customer, PaymentMethodListItem } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FailureText } from '../../ui/failure-text.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { CopyButton } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { DetachMethodModal } from './detach-method-modal.tsx';
import { useMethodLabel } from './method-label.tsx';
import { payerUrl, SetUpMethod } from './set-up-method.tsx';

const maxMethods = 100;

/** The payment methods of a customer, without the detached ones. */
export function CustomerMethods({ customer }: { customer: Customer }) {
  const text = useText();
  const labelOf = useMethodLabel();
  const [detached, setDetached] = useState<PaymentMethodListItem>();
  const read = useRead('paymentMethods.list', { customerId: customer.id, pageSize: maxMethods });
  const methods = read.data?.data.filter(({ status }) => status !== 'DETACHED');
  const channels = useChannels();
  const makeDefault = useChange('paymentMethods.default');
  return (
    <Section title={text('methods.title')} actions={<SetUpMethod customer={customer} channels={channels} />}>
      <ErrorNote error={read.error ?? makeDefault.error} />
      <DataTable
        caption={text('methods.title')}
        columns={[
          {
            header: text('methods.one'),
            cell: (method) => (
              <>
                {labelOf(method)} {method.isDefault && <Badge variant="outline">{text('methods.default')}</Badge>}
              </>
            ),
          },
          {
            header: text('payments.status'),
            cell: ({ status, failureCode }) => (
              // Wide enough for every status, because the cell of a wrapping text shrinks below its badge.
              <div style={{ minWidth: '7.5rem' }}>
                <StatusBadge status={status} />
                {failureCode !== null && (
                  <Text size="xs">
                    <FailureText code={failureCode} />
                  </Text>
                )}
              </div>
            ),
          },
          { header: text('methods.type'), from: 'md', cell: ({ type }) => text(`methodType.${type}` as TextKey) },
          { header: text('methods.expires'), from: 'sm', cell: expiryOf },
          {
            header: text('payments.channel'),
            from: 'sm',
            cell: ({ channelId }) => channels.find(({ id }) => id === channelId)?.name ?? channelId,
          },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (method) => (
              <Flex direction={{ base: 'column', sm: 'row' }} gap="xs" justify="flex-end" align="flex-end">
                <CopyLink method={method} />
                {isUsable(method) && !method.isDefault && (
                  <PermittedButton
                    needs="transaction_write"
                    variant="default"
                    size="xs"
                    loading={makeDefault.isPending && makeDefault.variables.body.id === method.id}
                    onClick={() => makeDefault.mutate({ body: { id: method.id } })}
                  >
                    {text('methods.makeDefault')}
                  </PermittedButton>
                )}
                {method.status !== 'FAILED' && (
                  <PermittedButton
                    needs="transaction_write"
                    variant="default"
                    size="xs"
                    onClick={() => setDetached(method)}
                  >
                    {text('methods.detach')}
                  </PermittedButton>
                )}
              </Flex>
            ),
          },
        ]}
        rows={methods}
        keyOf={({ id }) => id}
        empty={<EmptyState title={text('methods.none')} />}
      />
      <DetachMethodModal
        method={detached}
        others={methods?.filter((method) => method.id !== detached?.id && isUsable(method)) ?? []}
        onClose={() => setDetached(undefined)}
      />
    </Section>
  );
}

function useChannels(): readonly ChannelListItem[] {
  const mayRead = useMay('channel_read');
  return useRead('channels.list', {}, { enabled: mayRead }).data?.data ?? [];
}

function CopyLink({ method }: { method: PaymentMethodListItem }) {
  const text = useText();
  const url = payerUrl(method);
  return url !== undefined && <CopyButton value={url} label={text('checkouts.copy')} />;
}

/** Whether it can be charged. An expired card is still charged, unless the issuer itself said that it has expired. */
function isUsable({ status, failureCode }: PaymentMethodListItem): boolean {
  return status === 'ACTIVE' || (status === 'EXPIRED' && failureCode !== 'expired_card');
}

/** As it is printed on the card: `04/2030`. */
function expiryOf({ expiryMonth, expiryYear }: PaymentMethodListItem): string | null {
  return expiryMonth === null ? null : `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`;
}
