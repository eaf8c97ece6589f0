import { Button, Kbd, Loader, NavLink, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useRead } from '../api/hooks.ts';
import { Day } from '../format/time.tsx';
import { mayDo, useProfile } from '../session/session.tsx';
import { Dialog } from '../ui/forms/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { navigation } from './navigation.ts';
import { usePreferences, useText } from './preferences.tsx';
import classes from './search.module.css';
import { groupsOf, type Hit, type HitGroup, recordOf } from './search-hits.ts';

/** Finds payments, customers, invoices, subscriptions and pages. Opens with Ctrl K. */
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
      <Dialog
        label={text('search.open')}
        opened={isOpen}
        onClose={close}
        withCloseButton={false}
        padding="sm"
        size="lg"
        yOffset="12vh"
        centered={false}
      >
        <SearchBox onClose={close} />
      </Dialog>
    </>
  );
}

/** The service is asked this long after the last key. A search that is still under way is then given up. */
const pauseMs = 200;
/** The service finds nothing by a single character. */
const leastLength = 2;

function SearchBox({ onClose }: { onClose: () => void }) {
  const text = useText();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  // The next search replaces one that is still shown.
  useHotkeys([['mod+K', () => input.current?.select()]], []);
  const { groups, isSearching, isComplete } = useSearched(typed.trim());
  const hits = groups.flatMap((group) => group.hits);
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
        rightSection={isSearching && <Loader size="xs" />}
        aria-label={text('search.open')}
        placeholder={text('search.hint')}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        ref={input}
        onFocus={({ currentTarget }) => currentTarget.select()}
        data-autofocus
      />
      <VisuallyHidden role="status">{isSearching ? '' : text.count('search.found', hits.length)}</VisuallyHidden>
      <div className={classes.hits}>
        {groups.map(({ title, hits: ofGroup }) => (
          <section key={title} aria-label={title}>
            <div className={classes.group}>{title}</div>
            {ofGroup.map((hit) => (
              <HitLink key={hit.path} hit={hit} isChosen={hit === hits[at]} onClick={() => go(hit)} />
            ))}
          </section>
        ))}
        {hits.length === 0 && !isSearching && (
          <Text size="sm" c="dimmed" p="xs">
            {text('search.none')}
          </Text>
        )}
        {!isComplete && (
          <Text size="sm" c="dimmed" p="xs">
            {text('search.incomplete')}
          </Text>
        )}
      </div>
    </Stack>
  );
}

/** The pages that match at once, and what the service finds a moment later. */
function useSearched(sought: string): { groups: HitGroup[]; isSearching: boolean; isComplete: boolean } {
  const text = useText();
  const { locale } = usePreferences();
  const profile = useProfile();
  const [asked] = useDebouncedValue(sought, pauseMs);
  const isAsked = asked.length >= leastLength && sought.length >= leastLength;
  const found = useRead('search.find', { q: asked }, { enabled: isAsked });
  const pages = navigation
    .flatMap(({ items }) => items)
    .filter(({ needs }) => needs === undefined || mayDo(profile, needs))
    .map(({ path, label, icon }): Hit => ({ path, icon, label: text(label) }))
    .filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()));
  const record = recordOf(sought, text);
  const groups = [
    { title: text('search.record'), hits: record },
    ...(isAsked && found.data ? groupsOf(found.data.data, text, locale) : []).map(({ title, hits }) => ({
      title,
      hits: hits.filter(({ path }) => path !== record[0]?.path),
    })),
    { title: text('search.pages'), hits: pages },
  ];
  return {
    groups: groups.filter(({ hits }) => hits.length > 0),
    isSearching: sought.length >= leastLength && (asked !== sought || found.isFetching),
    isComplete: !isAsked || found.data?.data.complete !== false,
  };
}

function HitLink({ hit, isChosen, onClick }: { hit: Hit; isChosen: boolean; onClick: () => void }) {
  const { icon, label, detail, status, createdTime } = hit;
  return (
    <NavLink
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: 'nearest' });
      }}
      component="button"
      className={classes.hit}
      label={<bdi>{label}</bdi>}
      description={detail}
      leftSection={<Icon name={icon} />}
      rightSection={
        <span className={classes.facts}>
          {status !== undefined && <StatusBadge status={status} />}
          {createdTime !== undefined && (
            <Text span size="xs" c="dimmed">
              <Day value={createdTime.slice(0, 10)} />
            </Text>
          )}
        </span>
      }
      active={isChosen}
      onClick={onClick}
    />
  );
}
