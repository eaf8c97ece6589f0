import { Button, Kbd, NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { mayDo, useProfile } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { navigation } from './navigation.ts';
import { type Text as Texts, useText } from './preferences.tsx';

interface Hit {
  path: string;
  label: string;
  icon: IconName;
}

/** Goes to any record by its id, to customers by mail or name, and to every page. `Ctrl K`. */
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
  const matching = pages.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()));
  const hits: Hit[] = sought === '' ? pages : [...recordsOf(sought, text), ...matching];
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

/** Where something of this form can be found. */
function recordsOf(sought: string, text: Texts): Hit[] {
  const id = encodeURIComponent(sought);
  if (sought.startsWith('txn_'))
    return [{ path: `/payments/${id}`, label: `${text('payment.title')} ${sought}`, icon: 'payment' }];
  if (sought.startsWith('ref_'))
    return [{ path: `/refunds/${id}`, label: `${text('refunds.one')} ${sought}`, icon: 'refund' }];
  if (sought.startsWith('evt_'))
    return [{ path: `/events/${id}`, label: `${text('event.title')} ${sought}`, icon: 'event' }];
  if (sought.startsWith('dlv_')) {
    return [{ path: `/deliveries/${id}`, label: `${text('delivery.title')} ${sought}`, icon: 'webhook' }];
  }
  if (/^\d+$/.test(sought)) {
    return [
      { path: `/customers/${id}`, label: `${text('customers.one')} ${sought}`, icon: 'customer' },
      { path: `/invoices/${id}`, label: `${text('invoices.one')} ${sought}`, icon: 'invoice' },
      { path: `/subscriptions/${id}`, label: `${text('subscriptions.one')} ${sought}`, icon: 'subscription' },
    ];
  }
  const filter = sought.includes('@') ? 'email' : 'name';
  return [{ path: `/customers?${filter}=${id}`, label: text('search.customers', { sought }), icon: 'customer' }];
}
