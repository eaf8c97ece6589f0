import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../ui/icons.tsx';
import { useText } from './preferences.tsx';

export function ThemeSwitch() {
  const text = useText();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const label = text(isDark ? 'shell.light' : 'shell.dark');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        aria-label={label}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
      </ActionIcon>
    </Tooltip>
  );
}
