import type { SVGProps } from 'react';

/** Line icons on a grid of 24, drawn with strokes of 1.75. */
const paths = {
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  payment: 'M3 6h18v12H3zM3 10h18M7 15h3',
  refund: 'M9 14l-5-5 5-5M4 9h10a6 6 0 010 12h-3',
  dispute: 'M4 5h16v11H10l-5 4v-4H4zM12 8v3M12 13v.01',
  discrepancy: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  customer: 'M12 12a4 4 0 100-8 4 4 0 000 8zM5 20a7 7 0 0114 0',
  invoice: 'M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7',
  subscription: 'M4 12a8 8 0 0113.7-5.7L20 8M20 4v4h-4M20 12a8 8 0 01-13.7 5.7L4 16M4 20v-4h4',
  plan: 'M4 5h16v5H4zM4 14h16v5H4z',
  ledger: 'M5 4h14v16H5zM9 4v16M12 9h4M12 13h4',
  channel: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 9a2 2 0 100-4 2 2 0 000 4zM8 19a2 2 0 100-4 2 2 0 000 4z',
  key: 'M8 16a4 4 0 100-8 4 4 0 000 8zM12 12h9M18 12v4M21 12v3',
  webhook: 'M7 17a3 3 0 100-.01M12 7a3 3 0 10-.01 0M17 17a3 3 0 10.01 0M8.5 14.5L11 9.5M13.5 9.5l2 4M10 17h4',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5',
  event: 'M13 3L5 14h6l-1 7 8-11h-6z',
  request: 'M4 8h13M14 4l4 4-4 4M20 16H7M10 12l-4 4 4 4',
  team: 'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20a6 6 0 0112 0M16 4.5a3.5 3.5 0 010 6M18 14.5a6 6 0 013 5.5',
  tenant: 'M4 20V6l8-3 8 3v14M9 20v-4h6v4M9 9h.01M15 9h.01M9 12.5h.01M15 12.5h.01',
  audit: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  system: 'M3 12h4l2-6 4 12 2-6h6',
  search: 'M11 18a7 7 0 100-14 7 7 0 000 14zM16 16l5 5',
  copy: 'M8 8h11v12H8zM5 16H4V4h11v1',
  check: 'M5 12l5 5 9-10',
  external: 'M9 5H5v14h14v-4M13 4h7v7M20 4l-9 9',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  sun:
    'M12 16a4 4 0 100-8 4 4 0 000 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19' +
    'M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z',
  replay: 'M4 12a8 8 0 108-8H7M10 1L7 4l3 3',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  chevron: 'M9 6l6 6-6 6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18, ...rest }: { name: IconName; size?: number } & SVGProps<SVGSVGElement>) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    >
      <path d={paths[name]} />
    </svg>
  );
}
