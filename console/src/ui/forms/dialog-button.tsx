import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { PermittedButton, type PermittedButtonProps } from '../permitted.tsx';

interface DialogButtonProps extends Omit<PermittedButtonProps, 'onClick' | 'children'> {
  label: string;
  /** The dialog, with what it needs to be opened by the button. */
  children: (dialog: { opened: boolean; onClose: () => void }) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, children, ...button }: DialogButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <PermittedButton {...button} onClick={open}>
        {label}
      </PermittedButton>
      {children({ opened, onClose: close })}
    </>
  );
}
