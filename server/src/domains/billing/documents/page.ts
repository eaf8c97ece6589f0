import { hash } from 'node:crypto';
import { Html, html, joined } from '../../../platform/http/html.ts';
import type { Language } from '../sellers/formats.ts';
import type { InvoiceDocument, LabelledValue } from './document.ts';
import { labelsIn } from './labels.ts';

const smallPrint = 'font: 8pt system-ui, sans-serif; color: #595959;';

/** Always light, because invoices are printed. The layout does not depend on the paper size. */
const styleOf = ([page, of]: readonly [
  string,
  string,
]) => `:root { color-scheme: only light; background: #fff; color: #1a1a1a; }
body {
  font: 0.875rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  max-width: 44rem; margin: 3rem auto; padding: 0 1.5rem;
}
p, h1, h2, dl, dd { margin: 0; overflow-wrap: anywhere; }
p { white-space: pre-wrap; unicode-bidi: plaintext; }
h1 { font-size: 1.75rem; line-height: 1.2; }
h2, dt, th { font-size: 0.75rem; font-weight: normal; color: #595959; }
dl { display: grid; grid-template-columns: auto auto; gap: 0 1.5rem; align-items: baseline; }
.seller strong { display: block; }
.title, .parties {
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: 1rem 2rem; margin: 1.5rem 0;
}
.stamp {
  border: 2px solid; border-radius: 4px; padding: 0 0.625rem;
  font-weight: bold; letter-spacing: 0.1em; text-transform: uppercase;
}
.Paid { color: #17682e; }
.Void { color: #a8201a; }
.Draft { color: #595959; }
.buyer { flex: 1 1 14rem; text-align: left; }
.parties dl { min-width: 17rem; justify-content: start; }
.demand { font-size: 1.125rem; font-weight: bold; margin: 1.5rem 0; }
table { width: 100%; border-collapse: collapse; margin-top: 1.5rem; }
th, td { padding: 0.375rem 0 0.375rem 1rem; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid; vertical-align: bottom; }
td { border-bottom: 1px solid #d9d9d9; vertical-align: top; }
th:first-child, td:first-child {
  width: 100%; min-width: 9rem; padding-left: 0; text-align: start; white-space: pre-wrap; overflow-wrap: anywhere;
}
tr, .sums { break-inside: avoid; }
.sums { width: fit-content; min-width: 17rem; max-width: 100%; margin: 1rem 0 0 auto; column-gap: 0; }
.sums dt { padding-right: 1.5rem; }
.sums dd { text-align: right; }
.sums :nth-last-child(-n + 2) {
  font-size: 1rem; font-weight: bold; color: inherit; border-top: 1px solid; margin-top: 0.5rem; padding-top: 0.5rem;
}
@page {
  margin: 18mm 16mm 20mm;
  @bottom-right { content: "${page} " counter(page) " ${of} " counter(pages); ${smallPrint} }
}
@media print { body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0; } }
`;

const styles: Readonly<Record<Language, string>> = {
  en: styleOf(labelsIn.en.page),
  de: styleOf(labelsIn.de.page),
};

/** No scripts, no resources, no frames. */
export const contentPolicyOf = ({ language }: InvoiceDocument) =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', styles[language], 'base64')}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

export function renderHtml(invoice: InvoiceDocument): string {
  const { language, title, stamp, seller, buyer, paymentSummary, facts, description, lines, sums } = invoice;
  const labels = labelsIn[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}${stamp !== null && ` (${labels.stamps[stamp].toLowerCase()})`}</title>
<style>${new Html(styles[language])}</style>
</head>
<body>
<p class="seller"><strong>${seller.name}</strong>${seller.details.join('\n')}</p>
<div class="title"><h1>${title}</h1>${stampOf(invoice)}</div>
<div class="parties">
<div class="buyer"><h2>${labels.billedTo}</h2>
<p>${buyer.join('\n')}</p></div>
<dl>
${pairs(facts)}
</dl>
</div>
${paymentSummary !== null && html`<p class="demand">${paymentSummary}</p>`}
${description !== null && html`<p>${description}</p>`}
<table>
<thead><tr>${labels.columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${joined(lines.map(rowOf), '\n')}
</tbody>
</table>
<dl class="sums">
${pairs(sums)}
</dl>
</body>
</html>
`.text;
}

function stampOf({ stamp, language }: InvoiceDocument): Html | false {
  return stamp !== null && html`<p class="stamp ${stamp}">${labelsIn[language].stamps[stamp]}</p>`;
}

function rowOf({ description, quantity, unitPrice, tax, amount }: InvoiceDocument['lines'][number]): Html {
  const figures = [quantity, unitPrice, tax, amount].map((figure) => html`<td>${figure}</td>`);
  return html`<tr><td dir="auto">${description}</td>${figures}</tr>`;
}

function pairs(all: readonly LabelledValue[]): Html {
  return joined(
    all.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`),
    '\n',
  );
}
