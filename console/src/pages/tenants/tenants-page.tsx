import { Badge, Button, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Tenant } from '../../api/client.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';

export default function TenantsPage() {
  const text = useText();
  const [edited, setEdited] = useState<Tenant | 'new'>();
  const add = (
    <PermittedButton needs="platform" onClick={() => setEdited('new')} w="fit-content">
      {text('tenants.add')}
    </PermittedButton>
  );
  return (
    <>
      <ListPage
        title={text('tenants.title')}
        operation="tenants.list"
        filterNames={[]}
        actions={add}
        columns={[
          { header: 'ID', cell: ({ id }) => id },
          { header: text('common.name'), cell: ({ name }) => name },
          {
            header: text('payments.status'),
            cell: ({ state }) => (
              <Badge color={state ? 'green' : 'gray'}>{text(state ? 'state.active' : 'state.inactive')}</Badge>
            ),
          },
          {
            header: text('tenants.factorRequired'),
            from: 'md',
            cell: ({ secondFactorRequired }) => text(secondFactorRequired ? 'common.yes' : 'common.no'),
          },
          { header: text('payments.created'), from: 'sm', cell: ({ createdTime }) => <Time value={createdTime} /> },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (tenant) => (
              <Button variant="default" size="xs" onClick={() => setEdited(tenant)}>
                {text('common.edit')}
              </Button>
            ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={() => (
          <EmptyState title={text('tenants.none')}>
            <Text size="sm">{text('tenants.noneHint')}</Text>
            {add}
          </EmptyState>
        )}
      />
      {edited !== undefined && (
        <TenantModal tenant={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

function TenantModal({ tenant, onClose }: { tenant: Tenant | undefined; onClose: () => void }) {
  const text = useText();
  return (
    <FormModal
      title={text(tenant === undefined ? 'tenants.add' : 'tenants.edit')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      operation="tenants.modify"
      bodyOf={({ name, state, secondFactorRequired }) => ({
        ...(tenant !== undefined && { id: tenant.id }),
        name,
        state: state === 'on',
        secondFactorRequired: secondFactorRequired === 'on',
      })}
    >
      {(errorOf) => (
        <>
          <TextInput
            name="name"
            label={text('common.name')}
            defaultValue={tenant?.name}
            error={errorOf('name')}
            required
            data-autofocus
          />
          <Switch
            name="secondFactorRequired"
            label={text('tenants.factorRequired')}
            defaultChecked={tenant?.secondFactorRequired ?? false}
          />
          <Switch
            name="state"
            label={text('state.active')}
            description={text('tenants.stateHint')}
            defaultChecked={tenant?.state ?? true}
          />
        </>
      )}
    </FormModal>
  );
}
