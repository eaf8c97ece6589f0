import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { User } from '../../api/client.ts';
import { Time } from '../../format/time.tsx';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { UserModal } from './user-modal.tsx';

export default function TeamPage() {
  const text = useText();
  const { userId } = useProfile();
  const [edited, setEdited] = useState<User | 'new'>();
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
        <UserModal user={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

function UserState({ user: { state, invited } }: { user: User }) {
  const text = useText();
  if (!state) return <Badge color="gray">{text('state.inactive')}</Badge>;
  return <Badge color={invited ? 'yellow' : 'green'}>{text(invited ? 'team.invited' : 'state.active')}</Badge>;
}
