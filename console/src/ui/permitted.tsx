import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { mayDo, type Permission, useProfile } from '../session/session.tsx';
import { useText } from '../shell/preferences.tsx';

export interface PermittedButtonProps extends ButtonProps {
  needs: Permission;
  onClick: () => void;
  /** Why the action is unavailable, independently of permissions. */
  unavailable?: string | undefined;
  children: ReactNode;
}

/** A button that needs a permission. Without it the button is disabled and names the missing permission. */
export function PermittedButton({ needs, onClick, unavailable, children, ...rest }: PermittedButtonProps) {
  const text = useText();
  const isPermitted = mayDo(useProfile(), needs);
  const reason = isPermitted ? unavailable : text('permission.missing', { scope: needs });
  return (
    <Tooltip label={reason} disabled={reason === undefined} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...rest}
        data-disabled={reason !== undefined || undefined}
        aria-disabled={reason !== undefined}
        aria-description={reason}
        onClick={(event) => (reason === undefined ? onClick() : event.preventDefault())}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
