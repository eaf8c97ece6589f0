import { Alert, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { DetailsModal } from '../seller/seller-modals.tsx';

/** Before the first invoice: the address of the seller, which the invoice keeps as it is then. */
export function MissingSeller() {
  const text = useText();
  const { tenantId } = useTenant();
  const profile = useProfile();
  const mayChange = useMay('*');
  const [isOpen, { open, close }] = useDisclosure(false);
  const id = tenantId ?? Number(profile.tenantId ?? 0);
  const read = useRead('sellers.get', { id }, { enabled: mayChange, isFresh: true });
  const seller = read.data?.data;
  if (seller === undefined || seller.address !== null) return null;
  return (
    <Alert color="yellow" title={text('invoices.noSeller')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text('invoices.noSellerHint')}</Text>
        <Button variant="default" size="xs" onClick={open}>
          {text('liveChecklist.enter')}
        </Button>
      </Stack>
      {isOpen && <DetailsModal seller={seller} onClose={close} />}
    </Alert>
  );
}
