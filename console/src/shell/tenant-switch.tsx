import { Select } from '@mantine/core';
import { useText } from './preferences.tsx';
import { useTenant } from './tenant.tsx';

/** The tenant for which a platform administrator acts. Hidden if there are no tenants. */
export function TenantSwitch() {
  const text = useText();
  const { tenantId, setTenantId, tenants } = useTenant();
  if (tenants.length === 0) return null;
  return (
    <Select
      size="xs"
      w={{ base: 116, sm: 170 }}
      aria-label={text('tenant.switch')}
      searchable={tenants.length > 8}
      allowDeselect={false}
      data={[
        { value: 'all', label: text('tenant.all') },
        { value: '0', label: text('shell.platform') },
        ...tenants.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      value={tenantId === undefined ? 'all' : String(tenantId)}
      onChange={(value) => setTenantId(value === 'all' || value === null ? undefined : Number(value))}
    />
  );
}
