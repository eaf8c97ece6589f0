import { hash } from 'node:crypto';
import { escaped } from '../../platform/http/html.ts';
import type { PrintedInvoice } from './printed.ts';

const style = `body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
header { display: flex; justify-content: space-between; gap: 2rem; }
table { width: 100%; border-collapse: collapse; margin: 2rem 0; }
th, td { padding: 0.25rem 0.5rem; text-align: end; vertical-align: top; border-bottom: 1px solid #ccc; }
th:first-child, td:first-child { text-align: start; padding-left: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
dl { display: grid; grid-template-columns: auto auto; gap: 0 1rem; justify-content: end; margin: 0; }
dd { margin: 0; text-align: end; }
p { white-space: pre-wrap; overflow-wrap: anywhere; }
@media print { body { margin: 0; } }
`;

/** The page holds nothing but itself: no script, nothing loaded, in no frame. */
export const contentPolicy =
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'";

export function htmlOf({ title, seller, buyer, facts, description, lines, sums }: PrintedInvoice): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<p dir="auto">${escaped(seller)}</p>
<h1>${escaped(title)}</h1>
<header>
<p dir="auto">${buyer.map(escaped).join('\n')}</p>
<dl>
${pairs(facts)}
</dl>
</header>
${description === null ? '' : `<p dir="auto">${escaped(description)}</p>`}
<table>
<thead><tr><th>Description</th><th>Quantity</th><th>Price</th><th>Tax</th><th>Amount</th></tr></thead>
<tbody>
${lines.map(rowOf).join('\n')}
</tbody>
</table>
<dl>
${pairs(sums)}
</dl>
</body>
</html>
`;
}

function rowOf({ description, quantity, unitPrice, tax, amount }: PrintedInvoice['lines'][number]): string {
  const figures = [quantity, unitPrice, tax, amount].map((figure) => `<td>${escaped(figure)}</td>`).join('');
  return `<tr><td dir="auto">${escaped(description)}</td>${figures}</tr>`;
}

function pairs(all: readonly (readonly [string, string])[]): string {
  return all.map(([label, value]) => `<dt>${escaped(label)}</dt><dd>${escaped(value)}</dd>`).join('\n');
}
