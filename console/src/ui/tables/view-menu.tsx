import { ActionIcon, Anchor, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';
import { ErrorNote } from '../notes.tsx';
import type { ListViews } from './list-views.ts';

/** The saved views of a list, and which columns it shows. */
export function ViewMenu<Row>({ list }: { list: ListViews<Row> }) {
  const text = useText();
  return (
    <Popover position="bottom-end" width={300} trapFocus withRoles={false}>
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="ledger" size={16} />} aria-haspopup="dialog">
          {text('views.button')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={text('views.button')}>
        <Stack gap="md">
          <Views list={list} />
          <Columns list={list} />
          <ErrorNote error={list.error} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Views<Row>({ list }: { list: ListViews<Row> }) {
  const text = useText();
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('viewName')).trim();
    if (name !== '') list.save(name);
    event.currentTarget.reset();
  }
  return (
    <Stack gap={6}>
      <Text size="xs" fw={600}>
        {text('views.saved')}
      </Text>
      {list.views.length === 0 && <Text size="xs">{text('views.none')}</Text>}
      {list.views.map((view) => (
        <Group key={view.name} justify="space-between" wrap="nowrap" gap="xs">
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            fw={list.isOpen(view) ? 600 : undefined}
            aria-current={list.isOpen(view) || undefined}
            onClick={() => list.open(view)}
          >
            {view.name}
          </Anchor>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={text('views.remove', { name: view.name })}
            onClick={() => list.remove(view.name)}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </Group>
      ))}
      <form onSubmit={save}>
        <Group gap="xs" wrap="nowrap" align="end">
          <TextInput name="viewName" size="xs" label={text('views.name')} maxLength={60} flex={1} />
          <Button type="submit" size="xs" variant="default">
            {text('common.save')}
          </Button>
        </Group>
      </form>
    </Stack>
  );
}

function Columns<Row>({ list }: { list: ListViews<Row> }) {
  const text = useText();
  const shown = list.shown.flatMap(({ id }) => id ?? []);
  const inOrder = (ids: readonly string[]) =>
    list.choosable.flatMap(({ id }) => (id !== undefined && ids.includes(id) ? id : []));
  return (
    <Stack gap={6}>
      <Group justify="space-between">
        <Text size="xs" fw={600}>
          {text('views.columns')}
        </Text>
        {list.isChosen && (
          <Anchor component="button" type="button" size="xs" onClick={() => list.choose(undefined)}>
            {text('views.standard')}
          </Anchor>
        )}
      </Group>
      <Checkbox.Group
        aria-label={text('views.columns')}
        value={shown}
        onChange={(ids) => ids.length > 0 && list.choose(inOrder(ids))}
      >
        <Stack gap={6}>
          {list.choosable.map(({ id, header }) => (
            <Checkbox key={id} size="xs" value={id as string} label={header} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
