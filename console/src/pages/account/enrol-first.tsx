import { Alert } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { Page } from '../../ui/page.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

/** Where a second factor is required, nothing else can be done without one. */
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
