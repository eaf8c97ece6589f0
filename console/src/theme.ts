import { createTheme } from '@mantine/core';

/** Compact, so that pages that are used all day show as much as possible. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  autoContrast: true,
  luminanceThreshold: 0.18,
  defaultRadius: 'sm',
  fontFamily: "Inter, 'Segoe UI', system-ui, -apple-system, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.05rem' } } },
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500, size: 'md', miw: 'max-content' } },
    Modal: { defaultProps: { centered: true } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});
