import { Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { CustomerModal } from './customer-modal.tsx';

const filterNames = ['name', 'email', 'externalId'] as const;

export default function CustomersPage() {
  const text = useText();
  const [isAdding, { open, close }] = useDisclosure(false);
  const add = (
    <PermittedButton needs="transaction_write" onClick={open} w="fit-content">
      {text('customers.add')}
    </PermittedButton>
  );
  return (
    <>
      <ListPage
        title={text('customers.title')}
        operation="customers.list"
        isExported
        viewsOf="customers"
        filterNames={filterNames}
        actions={add}
        filters={({ filters, setFilters }) => (
          <>
            {filterNames.map((name) => (
              <TextInput
                key={name}
                size="xs"
                label={text(`customers.${name}`)}
                defaultValue={filters[name]}
                onBlur={({ currentTarget }) => setFilters({ [name]: currentTarget.value.trim() })}
                onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
              />
            ))}
          </>
        )}
        columns={[
          { id: 'name', header: text('customers.name'), cell: ({ name }) => name },
          { id: 'email', header: text('customers.email'), cell: ({ email }) => email },
          { id: 'externalId', header: text('customers.externalId'), from: 'md', cell: ({ externalId }) => externalId },
          {
            id: 'created',
            header: text('payments.created'),
            from: 'sm',
            cell: ({ createdTime }) => <Time value={createdTime} />,
          },
          { id: 'phone', header: text('customers.phone'), isExtra: true, cell: ({ phone }) => phone },
          {
            id: 'method',
            header: text('customers.method'),
            isExtra: true,
            cell: ({ defaultMethodId }) => text(defaultMethodId === null ? 'common.no' : 'common.yes'),
          },
          { id: 'id', header: 'ID', isExtra: true, cell: ({ id }) => id },
        ]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/customers/${id}`}
        empty={() => (
          <EmptyState title={text('customers.none')}>
            <Text size="sm">{text('customers.noneHint')}</Text>
            {add}
          </EmptyState>
        )}
      />
      <CustomerModal customer={undefined} opened={isAdding} onClose={close} />
    </>
  );
}
