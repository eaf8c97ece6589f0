import { Html } from '../../../../platform/http/html.ts';

const defaultColor = '#1d4ed8';

/**
 * The style of payers' pages, with the seller's colour as a background. Text on it is black or white, whichever has the
 * higher contrast, which is always at least 4.5 : 1.
 */
export function style(brandColor: string | null): Html {
  const color = brandColor !== null && isColor(brandColor) ? brandColor : defaultColor;
  return new Html(`:root { color-scheme: light dark; --brand: ${color}; --on-brand: ${textOn(color)};
  --page: #f4f4f5; --card: #fff; --text: #18181b; --quiet: #52525b; --line: #d4d4d8; --link: #1d4ed8;
  --good: #166534; --good-page: #dcfce7; --bad: #991b1b; --bad-page: #fee2e2; --test: #78350f; --test-page: #fde68a; }
@media (prefers-color-scheme: dark) { :root { --page: #09090b; --card: #18181b; --text: #fafafa; --quiet: #a1a1aa;
  --line: #3f3f46; --link: #93c5fd; --good: #bbf7d0; --good-page: #14532d; --bad: #fecaca; --bad-page: #7f1d1d;
  --test: #fde68a; --test-page: #451a03; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 32rem; margin: 2rem auto; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-top: 6px solid var(--brand); border-radius: 12px; }
.wide main { max-width: 44rem; }
.test { margin: 0; padding: 0.375rem 1rem; text-align: center; font-weight: 600; color: var(--test);
  background: var(--test-page); }
.seller { display: flex; align-items: center; gap: 0.75rem; margin-bottom: 1.5rem; overflow-wrap: anywhere; }
.seller img { max-height: 3rem; max-width: 10rem; object-fit: contain; background: #fff;
  border-radius: 6px; padding: 2px; }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 0.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
h2 + table { margin-top: 0; }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
.amount { font-size: 2.25rem; font-weight: 700; line-height: 1.2; margin: 0.25rem 0 0.5rem; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
a { color: var(--link); }
table { width: 100%; border-collapse: collapse; margin: 1.5rem 0 0.5rem; font-size: 0.9375rem; }
caption { text-align: start; font-weight: 600; padding-bottom: 0.25rem; }
th, td { padding: 0.5rem 0 0.5rem 0.75rem; text-align: end; vertical-align: top; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; text-align: start; overflow-wrap: anywhere; }
th { font-weight: 500; font-size: 0.8125rem; color: var(--quiet); }
td:not(:first-child) { white-space: nowrap; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.25rem 1rem; margin: 0.5rem 0 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; text-align: end; overflow-wrap: anywhere; }
.total { font-weight: 700; color: var(--text); }
fieldset { border: 0; margin: 1.5rem 0 0; padding: 0; }
legend { font-weight: 600; padding: 0; margin-bottom: 0.5rem; }
.choice { display: flex; gap: 0.75rem; align-items: center; min-height: 3rem; padding: 0.5rem 1rem; margin-top: -1px;
  border: 1px solid var(--line); overflow-wrap: anywhere; cursor: pointer; }
.choice:first-of-type { border-radius: 8px 8px 0 0; }
.choice:last-of-type { border-radius: 0 0 8px 8px; }
.choice:only-of-type { border-radius: 8px; }
.choice input { width: 1.125rem; height: 1.125rem; flex: none; margin: 0; accent-color: var(--link); }
button, .button { display: block; width: 100%; margin-top: 1.25rem; padding: 0.75rem 1rem;
  border: 1px solid transparent;
  border-radius: 8px; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--on-brand); background: var(--brand); }
button.plain, .button.plain { color: var(--text); background: transparent; border-color: var(--line); }
td button, td .button { display: inline-block; width: auto; margin: 0 0 0 0.25rem;
  padding: 0.25rem 0.75rem; font-size: 0.875rem; }
td form { display: inline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.note { border-radius: 8px; padding: 0.75rem 1rem; margin: 1rem 0; }
.good { color: var(--good); background: var(--good-page); }
.bad { color: var(--bad); background: var(--bad-page); }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 0.75rem 0; }
.card .button { display: inline-block; width: auto; margin-top: 0.25rem; padding: 0.5rem 1rem; }
.links { margin-top: 1.5rem; display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; }
@media (max-width: 36rem) { main { margin: 0; padding: 1.25rem; border-width: 6px 0 0; border-radius: 0; }
  .wide table, .wide tbody, .wide tr, .wide td { display: block; }
  .wide thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .wide tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
  .wide td { border: 0; padding: 0.125rem 0; text-align: start; white-space: normal !important; }
  td button, td .button { margin: 0.25rem 0.5rem 0.25rem 0; } }
@media print { main { border: 0; } form, .links { display: none; } }
`);
}

/** `#rrggbb`. */
const isColor = (text: string) => /^#[0-9a-fA-F]{6}$/.test(text);

/** Black or white. */
function textOn(color: string): '#000000' | '#ffffff' {
  // WCAG 2.2, relative luminance: the contrast with white is 1.05 / (L + 0.05), with black (L + 0.05) / 0.05.
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16)));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
