import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OperationName, Params } from '../../api/client.ts';
import { FormModal, type FormModalProps } from './form-modal.tsx';

interface ConfirmModalProps<Name extends OperationName> extends Omit<FormModalProps<Name>, 'bodyOf' | 'children'> {
  /** What the request does. */
  hint: string;
  body: Params;
  children?: ReactNode;
}

/** A dialog that asks before it sends a request without further input. */
export function ConfirmModal<Name extends OperationName>({ hint, body, children, ...props }: ConfirmModalProps<Name>) {
  return (
    <FormModal {...props} bodyOf={() => body}>
      <Text size="sm">{hint}</Text>
      {children}
    </FormModal>
  );
}
