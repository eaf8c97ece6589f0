import {
  Button,
  ColorInput,
  FileInput,
  Group,
  Image,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { sellersModifyReopenInvoices } from '../../api/choices.ts';
import type { Seller } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { AddressFields, addressOf } from '../../ui/forms/address-fields.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

export interface SellerModalProps {
  seller: Seller;
  onClose: () => void;
}

/** The details that invoices must show. Issued invoices keep the earlier details. */
export function DetailsModal({ seller, onClose }: SellerModalProps) {
  const text = useText();
  return (
    <FormModal
      title={text('seller.details')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      size="lg"
      operation="sellers.modify"
      bodyOf={(fields) => ({
        id: seller.id,
        name: fields.name,
        taxId: fields.taxId || null,
        address: addressOf(fields),
        dueDays: Number(fields.dueDays),
      })}
    >
      {(errorOf) => (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            name="name"
            label={text('common.name')}
            defaultValue={seller.name}
            error={errorOf('name')}
            required
            data-autofocus
          />
          <TextInput
            name="taxId"
            label={text('seller.taxId')}
            defaultValue={seller.taxId ?? ''}
            error={errorOf('taxId')}
          />
          <NumberInput
            name="dueDays"
            label={text('seller.dueDays')}
            description={text('seller.dueDaysHint')}
            defaultValue={seller.dueDays}
            error={errorOf('dueDays')}
            min={0}
            max={365}
            required
          />
          <AddressFields address={seller.address} errorOf={errorOf} />
        </SimpleGrid>
      )}
    </FormModal>
  );
}

/** The appearance of the pages of payers. */
export function AppearanceModal({ seller, onClose }: SellerModalProps) {
  const text = useText();
  const [logo, setLogo] = useState(seller.logo);
  const [color, setColor] = useState(seller.brandColor ?? '');
  return (
    <FormModal
      title={text('seller.appearance')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      operation="sellers.modify"
      bodyOf={() => ({ id: seller.id, brandColor: color || null, ...(logo !== seller.logo && { logo }) })}
    >
      {(errorOf) => (
        <Stack gap="sm">
          <FileInput
            label={text('seller.logo')}
            description={text('seller.logoHint')}
            placeholder={text('seller.chooseFile')}
            accept="image/png,image/jpeg"
            onChange={(file) => file && dataAddressOf(file).then(setLogo)}
            error={errorOf('logo')}
            data-autofocus
          />
          {logo !== null && (
            <Group justify="space-between">
              <Image src={logo} alt={text('seller.logo')} h={48} w="auto" fit="contain" />
              <Button variant="default" size="xs" onClick={() => setLogo(null)}>
                {text('common.remove')}
              </Button>
            </Group>
          )}
          <ColorInput
            label={text('seller.color')}
            description={text('seller.colorHint')}
            placeholder="#1d4ed8"
            value={color}
            onChange={setColor}
            format="hex"
            eyeDropperButtonProps={{ 'aria-label': text('seller.pickColor') }}
            error={errorOf('brandColor')}
          />
        </Stack>
      )}
    </FormModal>
  );
}

/** Which disputes that are lost reopen the invoice that their payment had paid. */
export function LostDisputesModal({ seller, onClose }: SellerModalProps) {
  const text = useText();
  return (
    <FormModal
      title={text('seller.lostDisputes')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      operation="sellers.modify"
      bodyOf={({ reopenInvoices }) => ({ id: seller.id, reopenInvoices })}
    >
      {(errorOf) => (
        <NativeSelect
          name="reopenInvoices"
          label={text('seller.reopenInvoices')}
          description={text('seller.reopenHint')}
          data={sellersModifyReopenInvoices.map((value) => ({ value, label: text(`seller.reopen.${value}`) }))}
          defaultValue={seller.reopenInvoices}
          error={errorOf('reopenInvoices')}
          data-autofocus
        />
      )}
    </FormModal>
  );
}

function dataAddressOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
