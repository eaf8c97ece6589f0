import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { User } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useMay, useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import type { Column } from '../../ui/data-table.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { UserModal } from './user-modal.tsx';

export default function TeamPage() {
  const text = useText();
  const { userId } = useProfile();
  const isPlatform = useMay('platform');
  const tenants = useRead('tenants.list', {}, { enabled: isPlatform });
  const [edited, setEdited] = useState<User | 'new'>();
  const tenantColumn: Column<User> = {
    header: text('tenants.one'),
    from: 'md',
    cell: ({ tenantId }) =>
      tenants.data?.data.find(({ id }) => String(id) === tenantId)?.name ?? tenantId ?? text('shell.platform'),
  };
  return (
    <>
      <ListPage
        title={text('team.title')}
        operation="users.list"
        filterNames={[]}
        actions={
          <PermittedButton needs="user_write" onClick={() => setEdited('new')}>
            {text('team.invite')}
          </PermittedButton>
        }
        columns={[
          { header: text('team.userName'), cell: ({ userName }) => userName },
          { header: text('customers.email'), from: 'sm', cell: ({ email }) => email },
          {
            header: text('team.role'),
            cell: ({ userType, roles }) => [text(`userType.${userType}` as TextKey), ...roles].join(' · '),
          },
          ...(isPlatform ? [tenantColumn] : []),
          { header: text('payments.status'), cell: (user) => <UserState user={user} /> },
          {
            header: text('team.secondFactor'),
            from: 'lg',
            cell: ({ secondFactor }) => text(secondFactor ? 'common.yes' : 'common.no'),
          },
          { header: text('payments.created'), from: 'lg', cell: ({ createdTime }) => <Time value={createdTime} /> },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (user) =>
              user.id !== userId && (
                <Button variant="default" size="xs" onClick={() => setEdited(user)}>
                  {text('common.edit')}
                </Button>
              ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={() => (
          <EmptyState title={text('team.none')}>
            <Text size="sm">{text('team.noneHint')}</Text>
          </EmptyState>
        )}
      />
      {edited !== undefined && (
        <UserModal
          user={edited === 'new' ? undefined : edited}
          tenants={tenants.data?.data ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

function UserState({ user: { state, invited } }: { user: User }) {
  const text = useText();
  if (!state) return <Badge color="gray">{text('state.inactive')}</Badge>;
  return <Badge color={invited ? 'yellow' : 'green'}>{text(invited ? 'team.invited' : 'state.active')}</Badge>;
}
