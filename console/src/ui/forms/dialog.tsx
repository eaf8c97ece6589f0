import { Modal, type ModalProps } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';

/** A modal dialog. Its header is not a second banner of the page. */
export function Dialog(props: ModalProps) {
  const text = useText();
  return (
    <Modal
      {...props}
      closeButtonProps={{ 'aria-label': text('common.close') }}
      attributes={{ header: { role: 'presentation' } }}
    />
  );
}
