import { Button, Kbd, NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useRead } from '../api/hooks.ts';
import { mayDo, useMay, useProfile } from '../session/session.tsx';
import { Dialog } from '../ui/forms/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { navigation } from './navigation.ts';
import { usePreferences, useText } from './preferences.tsx';
import { amountsOf, type Hit, recordsOf } from './search-hits.ts';

/** Finds records by id, payments by amount, customers by e-mail or name, and pages. Opens with Ctrl K. */
export function Search() {
  const text = useText();
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="search" size={15} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={open}
        visibleFrom="sm"
      >
        {text('search.open')}
      </Button>
      <Button variant="subtle" color="gray" px={8} onClick={open} hiddenFrom="sm" aria-label={text('search.open')}>
        <Icon name="search" />
      </Button>
      <Dialog opened={isOpen} onClose={close} withCloseButton={false} padding="sm" yOffset="12vh" centered={false}>
        <SearchBox onClose={close} />
      </Dialog>
    </>
  );
}

function SearchBox({ onClose }: { onClose: () => void }) {
  const text = useText();
  const profile = useProfile();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const pages = navigation
    .flatMap(({ items }) => items)
    .filter(({ needs }) => needs === undefined || mayDo(profile, needs))
    .map(({ path, label, icon }) => ({ path, icon, label: text(label) }));
  const sought = typed.trim();
  const amounts = useAmounts(sought);
  const matching = pages.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()));
  const hits: Hit[] = sought === '' ? pages : [...recordsOf(sought, text), ...amounts, ...matching];
  const at = Math.min(chosen, hits.length - 1);

  function go(hit: Hit | undefined) {
    if (hit === undefined) return;
    navigate(hit.path);
    onClose();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') go(hits[at]);
    else if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else return;
    event.preventDefault();
  }

  return (
    <Stack gap="xs">
      <TextInput
        size="md"
        leftSection={<Icon name="search" />}
        aria-label={text('search.open')}
        placeholder={text('search.hint')}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      <div>
        {hits.slice(0, 8).map((hit, i) => (
          <NavLink
            key={`${hit.path} ${hit.label}`}
            component="button"
            label={hit.label}
            leftSection={<Icon name={hit.icon} />}
            active={i === at}
            onClick={() => go(hit)}
          />
        ))}
        {hits.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {text('search.none')}
          </Text>
        )}
      </div>
    </Stack>
  );
}

/** Payments of the typed amount, in the typed currency or in those of the channels. */
function useAmounts(sought: string): Hit[] {
  const text = useText();
  const { locale } = usePreferences();
  const mayReadChannels = useMay('channel_read');
  const mayReadPayments = useMay('transaction_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels && mayReadPayments });
  if (!mayReadPayments) return [];
  const offered = [...new Set(channels.data?.data.flatMap(({ currency }) => currency.split(',')) ?? [])];
  return amountsOf(sought, offered, locale, text);
}
