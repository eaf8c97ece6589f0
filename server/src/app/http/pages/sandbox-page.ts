import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decimalOf } from '../../../core/money.ts';
import type { PayerChoice } from '../../../domains/payments/providers/sandbox/new-record.ts';
import type { PayerPayment, Sandbox } from '../../../domains/payments/providers/sandbox/sandbox.ts';
import { Html, html } from '../../../platform/http/html.ts';
import { withRawBodies } from '../../../platform/http/raw-body.ts';

interface SandboxPage {
  sandbox: () => Promise<Pick<Sandbox, 'payerPayment' | 'decide'>>;
  /** Where payers return to when the payment has no return address. */
  publicUrl: string;
}

const path = '/sandbox/pay/:key';

/**
 * The page to which the sandbox sends a payer, as a provider would: the amount and three buttons, in a form without
 * script. After a choice the page shows the result and continues to the merchant.
 */
export function addSandboxPage(app: FastifyInstance, { sandbox, publicUrl }: SandboxPage): void {
  const show = (reply: FastifyReply, payment: PayerPayment | undefined) =>
    payment === undefined ? send(reply, 404, unknownPage) : send(reply, 200, pageOf(payment, publicUrl));

  app.get(path, async (request, reply) => show(reply, await (await sandbox()).payerPayment(keyOf(request))));
  withRawBodies(app, (part) => {
    part.post(path, async (request, reply) => {
      const decision = decisionOf(request.body as Buffer | undefined);
      if (decision === undefined) return send(reply, 400, undecidedPage);
      const payment = await (await sandbox()).decide(keyOf(request), decision);
      // Redirects to this page by GET, relative to any proxy prefix, so that a reload does not post again.
      return payment === undefined ? show(reply, payment) : reply.code(303).header('location', '?').send();
    });
  });
}

const keyOf = ({ params }: FastifyRequest) => (params as { key: string }).key;

const decisions: readonly PayerChoice[] = ['pay', 'fail', 'cancel'];

function decisionOf(form: Buffer | undefined): PayerChoice | undefined {
  const chosen = new URLSearchParams(form?.toString('utf8')).get('decision');
  return decisions.find((decision) => decision === chosen);
}

const style = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 22rem; margin: 15vh auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
button { display: block; width: 100%; font: inherit; padding: 0.5rem; margin: 0.5rem 0; }
`;

const policy =
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'self'; ` +
  "frame-ancestors 'none'";

function send(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    .send(page.text);
}

const outcomes: Record<Exclude<PayerPayment['state'], 'UNDECIDED'>, string> = {
  SUCCEEDED: 'This payment is paid.',
  FAILED: 'This payment has failed.',
  CANCELLED: 'This payment was given up.',
};

function pageOf({ amount, currency, state, returnUrl }: PayerPayment, publicUrl: string): Html {
  const price = `${decimalOf(amount, currency)} ${currency}`;
  if (state === 'UNDECIDED') return htmlOf(`Pay ${price}`, html`<p>No money moves: this is the sandbox.</p>${choices}`);
  const back = returnUrl === publicUrl ? undefined : addressOf(returnUrl);
  const link = back !== undefined && html`<p><a href="${back}">Continue</a></p>`;
  return htmlOf(price, html`<p>${outcomes[state]}</p>${link}`, back);
}

/** How long the payer sees the result, in seconds. */
const readingSeconds = 2;

const choices = html`
<form method="post">
<button name="decision" value="pay">Pay</button>
<button name="decision" value="fail">Fail</button>
<button name="decision" value="cancel">Give up</button>
</form>`;

const unknownPage = htmlOf('Not found', html`<p>There is no payment here that waits for its payer.</p>`);
const undecidedPage = htmlOf('Not understood', html`<p>Go back and choose one of the buttons.</p>`);

function htmlOf(title: string, content: Html, onwards?: string): Html {
  const refresh =
    onwards !== undefined && html`<meta http-equiv="refresh" content="${readingSeconds}; url=${onwards}">\n`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Florin</title>
${refresh}<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

/** An http(s) URL that is safe inside a quoted attribute; undefined for anything else, such as a javascript: URL. */
function addressOf(text: string | null): string | undefined {
  const url = text === null ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href.replaceAll("'", '%27') : undefined;
}
