import { Badge, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { WebhookEndpoint } from '../../api/client.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { NoEndpoints } from './no-endpoints.tsx';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { RegisterModal } from './register-modal.tsx';

export default function WebhooksPage() {
  const text = useText();
  const [isRegistering, { open, close }] = useDisclosure(false);
  return (
    <>
      <ListPage
        title={text('webhooks.title')}
        operation="webhooks.list"
        filterNames={[]}
        actions={
          <PermittedButton needs="webhook_write" onClick={open}>
            {text('webhooks.add')}
          </PermittedButton>
        }
        columns={[
          {
            header: text('webhooks.url'),
            cell: ({ url }) => (
              <Text size="sm" maw={420} truncate title={url}>
                {url}
              </Text>
            ),
          },
          { header: text('payments.status'), cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
          {
            header: text('webhooks.recent'),
            from: 'sm',
            cell: ({ id }) => <RecentDeliveries endpointId={id} />,
          },
          { header: text('webhooks.events'), from: 'md', cell: ({ events }) => events.join(', ') },
          { header: text('payments.created'), from: 'lg', cell: ({ createdTime }) => <Time value={createdTime} /> },
        ]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/webhooks/${id}`}
        empty={() => <NoEndpoints onAdd={open} />}
      />
      <RegisterModal opened={isRegistering} onClose={close} />
    </>
  );
}

export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const text = useText();
  const { state, disabledReason, failingSince, pausedUntil } = endpoint;
  if (!state) {
    const reason = disabledReason === null ? '' : ` · ${text(`webhooks.disabled.${disabledReason}` as TextKey)}`;
    return <Badge color="gray">{`${text('state.inactive')}${reason}`}</Badge>;
  }
  if (pausedUntil !== null) return <Badge color="orange">{text('webhooks.paused')}</Badge>;
  if (failingSince !== null) return <Badge color="red">{text('webhooks.failing')}</Badge>;
  return <Badge color="green">{text('state.active')}</Badge>;
}
