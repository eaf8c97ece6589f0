import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { ConnectInbox } from './connect-inbox.tsx';

export default function InboxesPage() {
  const text = useText();
  const inboxes = useRead('inboxes.list');
  const [isConnecting, { open, close }] = useDisclosure(false);
  return (
    <Page
      title={text('inboxes.title')}
      actions={
        <PermittedButton needs="webhook_write" onClick={open}>
          {text('inboxes.add')}
        </PermittedButton>
      }
    >
      <ErrorNote error={inboxes.error} onRetry={() => inboxes.refetch()} />
      <DataTable
        caption={text('inboxes.title')}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
          { header: text('inboxes.messages'), isNumber: true, cell: ({ messageCount }) => messageCount },
          {
            header: text('inboxes.verifies'),
            from: 'sm',
            cell: ({ hasSecret }) => text(hasSecret ? 'common.yes' : 'common.no'),
          },
          { header: text('inboxes.expires'), from: 'sm', cell: ({ expiresTime }) => <Time value={expiresTime} /> },
        ]}
        rows={inboxes.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/inboxes/${id}`}
        empty={
          <EmptyState title={text('inboxes.none')}>
            <Text size="sm">{text('inboxes.noneHint')}</Text>
            <PermittedButton needs="webhook_write" onClick={open} w="fit-content">
              {text('inboxes.add')}
            </PermittedButton>
          </EmptyState>
        }
      />
      <ConnectInbox opened={isConnecting} onClose={close} />
    </Page>
  );
}
