import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { useMode, useModeOf } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { sandboxInput } from '../channels/add-sandbox.tsx';
import { InboxMessages } from '../inboxes/inbox-messages.tsx';
import { makeConnectedInbox } from '../inboxes/make-inbox.ts';
import { curlOf } from '../payments/curl.ts';
import { paymentFields, usePaymentColumns } from '../payments/payment-columns.tsx';
import { Step } from './step.tsx';

/** What the first programs of a shop need: they look for a channel, take payments, and refund them. */
const setUpScope = 'channel_read,transaction_read,transaction_write,transaction_refund';

/** Guides a new user to a first payment and its verified webhook. */
export default function FirstRunPage() {
  const text = useText();
  const { livemode } = useMode();
  const client = useQueryClient();
  const { sandboxEnabled } = useProfile();
  // The first payment is a test payment, if possible.
  useModeOf(sandboxEnabled ? { livemode: false } : undefined);
  const channels = useRead('channels.list').data?.data;
  const [key, setKey] = useState<string>();
  const [inboxId, setInboxId] = useState<number>();
  const channel =
    channels?.find(({ provider, state }) => provider === 'sandbox' && state) ?? channels?.find(({ state }) => state);

  const preparing = useMutation({
    mutationFn: async () => {
      if (channel === undefined) await call('channels.modify', sandboxInput);
      return makeConnectedInbox(livemode);
    },
    onSuccess: async ({ inbox }) => {
      setInboxId(inbox.id);
      await client.invalidateQueries();
    },
  });
  const generating = useChange('keys.generate', ({ data }) => setKey(data.sk));
  const paying = useChange('transactions.create');
  const messages = useRead('inboxes.messages', { id: inboxId ?? 0, pageSize: 50 }, { enabled: inboxId !== undefined });
  const isVerified = messages.data?.data.some(({ serviceSignature }) => serviceSignature === 'VERIFIED') === true;
  const payment = {
    amount: 1999,
    currency: channel?.currency.split(',')[0] ?? 'USD',
    channelId: channel?.id ?? 0,
    description: text('firstRun.payment'),
  };

  return (
    <Page title={text('firstRun.title')}>
      <Stack gap="sm" maw={860}>
        <Step number={1} title={text('firstRun.prepare')} isDone={inboxId !== undefined}>
          <Text size="sm">{text(sandboxEnabled ? 'firstRun.prepareHint' : 'firstRun.noSandbox')}</Text>
          <ErrorNote error={preparing.error} />
          {inboxId === undefined && (
            <Button
              w="fit-content"
              loading={preparing.isPending}
              onClick={() => preparing.mutate()}
              disabled={channels === undefined}
            >
              {text('firstRun.prepareGo')}
            </Button>
          )}
        </Step>
        <Step number={2} title={text('firstRun.key')} isDone={key !== undefined} isReady={inboxId !== undefined}>
          <ErrorNote error={generating.error} />
          {key === undefined ? (
            <Button
              w="fit-content"
              loading={generating.isPending}
              onClick={() =>
                generating.mutate({
                  body: { name: text('firstRun.title'), scope: setUpScope, livemode },
                })
              }
            >
              {text('keys.add')}
            </Button>
          ) : (
            <>
              <Text size="sm">{text('keys.shownOnce')}</Text>
              <CodeBlock value={key} />
            </>
          )}
        </Step>
        <Step
          number={3}
          title={text('firstRun.pay')}
          isDone={paying.isSuccess}
          isReady={key !== undefined && channel !== undefined}
        >
          <Text size="sm">{text('firstRun.payHint')}</Text>
          <CodeBlock value={curlOf(payment).replace('$FLORIN_API_KEY', key ?? '')} />
          <ErrorNote error={paying.error} />
          <Group>
            <Button
              variant={paying.isSuccess ? 'default' : 'filled'}
              loading={paying.isPending}
              onClick={() => paying.mutate({ body: payment })}
            >
              {text('firstRun.payHere')}
            </Button>
          </Group>
        </Step>
        <Step number={4} title={text('firstRun.arrives')} isDone={isVerified} isReady={inboxId !== undefined}>
          {isVerified && (
            <Text size="sm">
              {text('firstRun.done')} <LinkText href="/webhooks">{text('webhooks.add')}</LinkText>
            </Text>
          )}
          <Arrivals inboxId={inboxId} />
        </Step>
      </Stack>
    </Page>
  );
}

/** The payment and its webhooks, as they arrive. */
function Arrivals({ inboxId }: { inboxId: number | undefined }) {
  const text = useText();
  const columns = usePaymentColumns();
  const payments = useRead('transactions.list', { ...paymentFields, pageSize: 3 });
  if (inboxId === undefined) return null;
  return (
    <>
      <DataTable
        caption={text('payments.title')}
        columns={columns}
        rows={payments.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/payments/${id}`}
        empty={null}
      />
      <InboxMessages
        id={inboxId}
        empty={
          <Text size="sm" c="dimmed" role="status">
            {text('inboxes.waiting')}
          </Text>
        }
      />
    </>
  );
}
