import { Alert } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { Page } from '../../ui/page.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

/** The only page of a user who must enrol a second factor first. */
export function EnrolFirst() {
  const text = useText();
  return (
    <Page title={text('team.secondFactor')}>
      <Alert color="blue">{text('factor.required')}</Alert>
      <SecondFactor />
      <Passkeys />
    </Page>
  );
}
