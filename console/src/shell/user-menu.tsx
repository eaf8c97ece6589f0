import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useProfile, useSignOut } from '../session/session.tsx';
import { languageNames, languages } from '../text/languages.ts';
import { Icon } from '../ui/icons.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { usePreferences, useText } from './preferences.tsx';

export function UserMenu() {
  const text = useText();
  const profile = useProfile();
  const signOut = useSignOut();
  const [error, setError] = useState<Error>();
  const [, navigate] = useLocation();
  const { preferences, setPreferences } = usePreferences();
  return (
    <Menu position="bottom-end" width={230} onClose={() => setError(undefined)}>
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={<Icon name="customer" />} aria-label={profile.userName}>
          <Text size="sm" visibleFrom="xs" maw={140} truncate>
            {profile.userName}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {profile.email}
          <br />
          {profile.tenantName ?? text('shell.platform')}
        </Menu.Label>
        <Menu.Item onClick={() => navigate('/account')}>{text('account.title')}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{text('account.language')}</Menu.Label>
        {languages.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            onClick={() => setPreferences({ language })}
            rightSection={preferences.language === language && <Icon name="check" size={14} />}
          >
            {languageNames[language]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item closeMenuOnClick={false} onClick={() => signOut().catch(setError)}>
          {text('shell.signOut')}
        </Menu.Item>
        <ErrorNote error={error} />
      </Menu.Dropdown>
    </Menu>
  );
}
