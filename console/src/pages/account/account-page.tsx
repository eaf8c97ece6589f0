import { SimpleGrid, Stack } from '@mantine/core';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { DisplaySettings } from './display-settings.tsx';
import { MySessions } from './my-sessions.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

export default function AccountPage() {
  const text = useText();
  const profile = useProfile();
  return (
    <Page title={text('account.title')}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <Section title={text('account.profile')} actions={<ChangeEmail />}>
            <Facts
              facts={[
                [text('team.userName'), profile.userName],
                [text('customers.email'), profile.email],
                [text('team.role'), [text(`userType.${profile.userType}` as TextKey), ...profile.roles].join(' · ')],
                [text('tenants.one'), profile.tenantName ?? text('shell.platform')],
              ]}
            />
          </Section>
          <Section title={text('account.display')}>
            <DisplaySettings />
          </Section>
        </Stack>
        <Stack gap="lg">
          <Section title={text('account.password')}>
            <ChangePassword />
          </Section>
          <Section title={text('team.secondFactor')}>
            <SecondFactor />
          </Section>
        </Stack>
      </SimpleGrid>
      <Passkeys />
      <Section title={text('account.sessions')}>
        <MySessions />
      </Section>
    </Page>
  );
}
