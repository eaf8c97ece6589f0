import { roleNames, userTypes } from '@florin/server/core/scopes.ts';
import { Anchor, MultiSelect, Select, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleProfile, User } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PresentPasswordField } from '../../ui/forms/password-field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';

interface UserModalProps {
  /** Undefined: a user to invite. */
  user: User | undefined;
  onClose: () => void;
}

/** A new user gets a mail with a link to choose a password, so that nobody else knows it. */
export function UserModal({ user, onClose }: UserModalProps) {
  const text = useText();
  const profile = useProfile();
  const { tenantId: chosenTenant, tenants } = useTenant();
  const isPlatform = profile.userType === 'PLATFORM_ADMIN';
  const offered = userTypes.filter((type) => type !== 'PLATFORM_ADMIN' || isPlatform);
  const [userType, setUserType] = useState<ConsoleProfile['userType']>(user?.userType ?? 'MERCHANT_USER');
  const [roles, setRoles] = useState<string[]>(user?.roles ?? ['viewer']);
  return (
    <FormModal
      title={text(user === undefined ? 'team.invite' : 'team.edit')}
      submit={text(user === undefined ? 'team.sendInvitation' : 'common.save')}
      opened
      onClose={onClose}
      operation="users.modify"
      bodyOf={({ userName, email, tenantId, state, oldPassword }) => ({
        ...(user !== undefined && { id: user.id }),
        userName,
        email,
        ...(oldPassword && { oldPassword }),
        userType,
        roles: userType === 'MERCHANT_USER' ? roles : [],
        ...(user === undefined && isPlatform && { tenantId: tenantId || null }),
        state: user === undefined || state === 'on',
      })}
    >
      {(errorOf) => (
        <>
          {user === undefined && <Text size="sm">{text('team.inviteHint')}</Text>}
          <TextInput
            name="userName"
            label={text('team.userName')}
            defaultValue={user?.userName}
            error={errorOf('userName')}
            required
            data-autofocus
          />
          <TextInput
            name="email"
            type="email"
            label={text('customers.email')}
            defaultValue={user?.email}
            error={errorOf('email')}
            required
          />
          {user?.id === profile.userId && (
            <PresentPasswordField
              name="oldPassword"
              description={text('team.oldPasswordHint')}
              error={errorOf('oldPassword')}
            />
          )}
          {user === undefined && isPlatform && (
            <Select
              name="tenantId"
              defaultValue={chosenTenant ? String(chosenTenant) : null}
              label={text('tenants.one')}
              data={tenants.map(({ id, name }) => ({ value: String(id), label: name }))}
              placeholder={text('shell.platform')}
              error={errorOf('tenantId')}
              clearable
              searchable
            />
          )}
          <Select
            label={text('team.userType')}
            data={offered.map((value) => ({ value, label: text(`userType.${value}`) }))}
            value={userType}
            onChange={(chosen) => chosen !== null && setUserType(chosen)}
            error={errorOf('userType')}
            allowDeselect={false}
          />
          {userType === 'MERCHANT_USER' && (
            <MultiSelect
              label={text('team.roles')}
              description={text('team.rolesHint')}
              data={roleNames}
              value={roles}
              onChange={setRoles}
              error={errorOf('roles')}
            />
          )}
          {user !== undefined && (
            <>
              <Switch name="state" label={text('state.active')} defaultChecked={user.state} />
              {user.secondFactor && <RemoveSecondFactor id={user.id} />}
            </>
          )}
        </>
      )}
    </FormModal>
  );
}

/** For a user who has lost the second factor. */
function RemoveSecondFactor({ id }: { id: number }) {
  const text = useText();
  const removing = useChange('secondFactor.revoke');
  return (
    <>
      <ErrorNote error={removing.error} />
      <Anchor component="button" type="button" size="sm" onClick={() => removing.mutate({ body: { id } })}>
        {text(removing.isSuccess ? 'team.factorRemoved' : 'team.removeFactor')}
      </Anchor>
    </>
  );
}
