import type { Permission } from '../session/session.tsx';
import type { TextKey } from '../text/texts.ts';
import type { IconName } from '../ui/icons.tsx';

export interface NavigationItem {
  path: string;
  label: TextKey;
  icon: IconName;
  /** Pages that a user cannot read are not offered. */
  needs?: Permission;
}

interface NavigationGroup {
  label: TextKey;
  items: readonly NavigationItem[];
}

export const navigation: readonly NavigationGroup[] = [
  {
    label: 'nav.payments',
    items: [
      { path: '/', label: 'home.title', icon: 'home' },
      { path: '/payments', label: 'payments.title', icon: 'payment', needs: 'transaction_read' },
    ],
  },
];
