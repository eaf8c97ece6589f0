import { Select, Text } from '@mantine/core';
import type { PaymentMethodListItem } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { useMethodLabel } from './method-label.tsx';

interface DetachMethodModalProps {
  /** Undefined: the dialog is closed. */
  method: PaymentMethodListItem | undefined;
  /** The customer's other methods that can be charged. */
  others: readonly PaymentMethodListItem[];
  onClose: () => void;
}

/** Detaches a payment method, and offers another one for the subscriptions that name it. */
export function DetachMethodModal({ method, others, onClose }: DetachMethodModalProps) {
  const text = useText();
  const labelOf = useMethodLabel();
  return (
    <FormModal
      title={text('methods.detachTitle')}
      submit={text('methods.detach')}
      isDangerous
      opened={method !== undefined}
      onClose={onClose}
      operation="paymentMethods.detach"
      isIdempotent
      bodyOf={({ replaceWith }) => ({ id: method?.id, ...(replaceWith && { replaceWith }) })}
    >
      {(errorOf) => (
        <>
          <Text size="sm" fw={600}>
            {method && labelOf(method)}
          </Text>
          <Text size="sm">{text('methods.detachHint')}</Text>
          {others.length > 0 && (
            <Select
              name="replaceWith"
              label={text('methods.replaceWith')}
              description={text('methods.replaceWithHint')}
              data={others.map((other) => ({ value: other.id, label: labelOf(other) }))}
              error={errorOf('replaceWith')}
              clearable
            />
          )}
        </>
      )}
    </FormModal>
  );
}
