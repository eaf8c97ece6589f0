import { Alert, AppShell, Box, Burger, Group, Text } from '@mantine/core';
import { useDisclosure, useReducedMotion } from '@mantine/hooks';
import { useIsFetching } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { StreamStateContext, useStream } from '../live/use-stream.ts';
import { EnrolFirst } from '../pages/account/enrol-first.tsx';
import { mayDo, useProfile } from '../session/session.tsx';
import { Icon } from '../ui/icons.tsx';
import logo from './florin.svg';
import { useMode } from './mode.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { navigation } from './navigation.ts';
import { Pages } from './pages.tsx';
import { useText } from './preferences.tsx';
import { Search } from './search.tsx';
import classes from './shell.module.css';
import { useTenant } from './tenant.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page: navigation, search and the menu of the user. */
export function Shell() {
  const text = useText();
  const profile = useProfile();
  const streamState = useStream();
  const { livemode } = useMode();
  const { tenantId, tenants } = useTenant();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const prefersReducedMotion = useReducedMotion();
  return (
    <StreamStateContext value={streamState}>
      <a className="skip-link" href="#content">
        {text('shell.skip')}
      </a>
      {tenantId !== undefined && <div className={classes.tenantFrame} />}
      {!livemode && <div className={classes.testFrame} />}
      <AppShell
        header={{ height: 52 }}
        transitionDuration={prefersReducedMotion ? 0 : 200}
        // On a tablet the tables need the width, so the navigation is collapsed.
        navbar={{ width: 212, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'sm', sm: 'lg' }}
      >
        <AppShell.Header className={classes.header}>
          <Group gap="xs" wrap="nowrap">
            <Burger hiddenFrom="md" size="sm" opened={isOpen} onClick={toggle} aria-label={text('shell.menu')} />
            <Link href="/" className={classes.logo} data-crowded={tenants.length > 0 || undefined} aria-label="Florin">
              <img src={logo} alt="" width={24} height={24} />
              <Text fw={600} visibleFrom="xs">
                Florin
              </Text>
            </Link>
          </Group>
          <Group gap={4} wrap="nowrap">
            {streamState === 'polling' && (
              <Text size="xs" c="dimmed" role="status">
                {text('shell.polling')}
              </Text>
            )}
            <TenantSwitch />
            <ModeSwitch />
            <Search />
            <Box visibleFrom="xs">
              <ThemeSwitch />
            </Box>
            <UserMenu />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes.navbar}>
          {!profile.mustEnrol && <Navigation onNavigate={close} />}
          <Box hiddenFrom="xs" mt="sm">
            <ThemeSwitch />
          </Box>
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <Retrying />
          <div className={classes.content}>
            {/* In another mode or for another tenant the page starts again, without any row or dialog of the first. */}
            {profile.mustEnrol ? <EnrolFirst /> : <Pages key={`${livemode} ${tenantId}`} />}
          </div>
        </AppShell.Main>
      </AppShell>
    </StreamStateContext>
  );
}

/** Shown while failed reads are retried, because the page has nothing to show until they succeed or fail for good. */
function Retrying() {
  const text = useText();
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 });
  if (failing === 0) return null;
  return (
    <Alert color="yellow" role="status" py="xs" mb="sm">
      {text('shell.retrying')}
    </Alert>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const text = useText();
  const profile = useProfile();
  const [path] = useLocation();
  return (
    <nav aria-label={text('shell.navigation')}>
      {navigation.map(({ label, items }) => {
        const offered = items.filter(({ needs }) => needs === undefined || mayDo(profile, needs));
        if (offered.length === 0) return null;
        return (
          <div key={label} className={classes.group}>
            <Text className={classes.groupLabel}>{text(label)}</Text>
            {offered.map((item) => (
              <Link
                key={item.path}
                href={item.path}
                onClick={onNavigate}
                className={classes.item}
                aria-current={isWithin(path, item.path) ? 'page' : undefined}
              >
                <Icon name={item.icon} />
                {text(item.label)}
              </Link>
            ))}
          </div>
        );
      })}
    </nav>
  );
}

function isWithin(path: string, itemPath: string): boolean {
  return itemPath === '/' ? path === '/' : path === itemPath || path.startsWith(`${itemPath}/`);
}
