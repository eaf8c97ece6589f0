import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';

/** A field for a password or another secret, with a name for the button that shows it. */
export function PasswordField(props: PasswordInputProps) {
  const text = useText();
  return <PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': text('signIn.showPassword') }} />;
}

/** The present password of the user, which dangerous changes need. */
export function PresentPasswordField(props: PasswordInputProps) {
  const text = useText();
  return <PasswordField label={text('account.oldPassword')} autoComplete="current-password" {...props} />;
}
