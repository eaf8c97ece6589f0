import { Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PresentPasswordField } from '../../ui/forms/password-field.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';

/** Changing one's own address needs the password: a person who reads its mail can reset the password. */
export function ChangeEmail() {
  const text = useText();
  const { userId, email } = useProfile();
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <PermittedButton needs="user_write" variant="default" w="fit-content" onClick={open}>
        {text('account.changeEmail')}
      </PermittedButton>
      <FormModal
        title={text('account.changeEmail')}
        submit={text('common.save')}
        opened={isOpen}
        onClose={close}
        operation="users.modify"
        bodyOf={(fields) => ({ id: userId, email: fields.email, oldPassword: fields.oldPassword })}
      >
        {(errorOf) => (
          <>
            <Text size="sm">{text('account.changeEmailHint')}</Text>
            <TextInput
              name="email"
              type="email"
              label={text('customers.email')}
              defaultValue={email}
              error={errorOf('email')}
              required
              data-autofocus
            />
            <PresentPasswordField name="oldPassword" error={errorOf('oldPassword')} required />
          </>
        )}
      </FormModal>
    </>
  );
}
