import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { DisputeDetail } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { isEmpty, missingFields, useFieldLabel } from './evidence-fields.ts';

/** Submits the evidence, or accepts the dispute: neither can be undone. */
export function DisputeActions({ dispute }: { dispute: DisputeDetail }) {
  const text = useText();
  const fieldLabel = useFieldLabel();
  const [dialog, setDialog] = useState<'submit' | 'accept'>();
  const close = () => setDialog(undefined);
  const { id, actions, defenseReasons } = dispute;
  const missing = missingFields(dispute);
  const unavailable = isEmpty(dispute)
    ? text('disputes.noEvidence')
    : missing.length > 0
      ? text('disputes.missingEvidence', { fields: missing.map(({ name }) => fieldLabel(name)).join(', ') })
      : undefined;
  return (
    <>
      {actions.includes('ACCEPT') && (
        <PermittedButton needs="transaction_refund" variant="default" onClick={() => setDialog('accept')}>
          {text('disputes.accept')}
        </PermittedButton>
      )}
      {actions.includes('SUBMIT') && (
        <PermittedButton needs="transaction_refund" onClick={() => setDialog('submit')} unavailable={unavailable}>
          {text('disputes.submit')}
        </PermittedButton>
      )}
      <FormModal
        title={text('disputes.submitTitle')}
        submit={text('disputes.submit')}
        opened={dialog === 'submit'}
        onClose={close}
        operation="disputes.submit"
        isIdempotent
        bodyOf={({ defenseReason }) => ({ id, ...(defenseReason && { defenseReason }) })}
      >
        {(errorOf) => (
          <>
            <Text size="sm">{text('disputes.submitHint')}</Text>
            {defenseReasons.length > 0 && (
              <NativeSelect
                name="defenseReason"
                label={text('disputes.defenseReason')}
                data={[...defenseReasons]}
                error={errorOf('defenseReason')}
                required
              />
            )}
          </>
        )}
      </FormModal>
      <ConfirmModal
        title={text('disputes.acceptTitle')}
        hint={text('disputes.acceptHint')}
        submit={text('disputes.accept')}
        isDangerous
        opened={dialog === 'accept'}
        onClose={close}
        operation="disputes.accept"
        isIdempotent
        body={{ id }}
      />
    </>
  );
}
