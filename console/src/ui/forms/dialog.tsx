import { Modal, type ModalProps } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';

/** A modal dialog. Its header is not a second banner of the page. `label` names one without a title. */
export function Dialog({ label, ...props }: ModalProps & { label?: string }) {
  const text = useText();
  return (
    <Modal
      {...props}
      closeButtonProps={{ 'aria-label': text('common.close') }}
      attributes={{ header: { role: 'presentation' }, ...(label && { content: { 'aria-label': label } }) }}
    />
  );
}
