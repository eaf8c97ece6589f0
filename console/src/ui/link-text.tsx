import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A link to another page of the console. */
export function LinkText({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={href} size="sm" style={{ position: 'relative', zIndex: 1 }}>
      {children}
    </Anchor>
  );
}
