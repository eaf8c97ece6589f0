import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decimalOf } from '../../../core/money.ts';
import type { PayerSetup } from '../../../domains/payments/providers/sandbox/methods.ts';
import type { PayerChoice } from '../../../domains/payments/providers/sandbox/new-record.ts';
import type { PayerPayment, Sandbox } from '../../../domains/payments/providers/sandbox/sandbox.ts';
import { Html, html } from '../../../platform/http/html.ts';
import { withRawBodies } from '../../../platform/http/raw-body.ts';
import { florinMark, florinStyle } from './look.ts';

interface SandboxPage {
  sandbox: () => Promise<Pick<Sandbox, 'payerPayment' | 'decide' | 'payerSetup' | 'decideSetup'>>;
}

/**
 * The pages to which the sandbox sends a payer, as a provider would: what is asked and three buttons, in a form without
 * script. After a choice the page shows the result and continues to the merchant.
 */
export function addSandboxPage(app: FastifyInstance, { sandbox }: SandboxPage): void {
  addPage<PayerPayment>(app, '/sandbox/pay/:key', {
    find: async (key) => (await sandbox()).payerPayment(key),
    decide: async (key, decision) => (await sandbox()).decide(key, decision),
    pageOf: (payment) => pageOf(textsOfPayment(payment), payment, payment.statementDescriptor),
  });
  addPage<PayerSetup>(app, '/sandbox/setup/:key', {
    find: async (key) => (await sandbox()).payerSetup(key),
    decide: async (key, decision) => (await sandbox()).decideSetup(key, decision),
    pageOf: (setup) => pageOf(textsOfSetup, setup),
  });
}

interface PageOptions<Asked> {
  find: (key: string) => Promise<Asked | undefined>;
  decide: (key: string, decision: PayerChoice) => Promise<Asked | undefined>;
  pageOf: (asked: Asked) => Html;
}

function addPage<Asked>(app: FastifyInstance, path: string, { find, decide, pageOf }: PageOptions<Asked>): void {
  const show = (reply: FastifyReply, asked: Asked | undefined) =>
    asked === undefined ? send(reply, 404, unknownPage) : send(reply, 200, pageOf(asked));

  app.get(path, async (request, reply) => show(reply, await find(keyOf(request))));
  withRawBodies(app, (part) => {
    part.post(path, async (request, reply) => {
      const decision = decisionOf(request.body as Buffer | undefined);
      if (decision === undefined) return send(reply, 400, undecidedPage);
      const asked = await decide(keyOf(request), decision);
      // Redirects to this page by GET, relative to any proxy prefix, so that a reload does not post again.
      return asked === undefined ? show(reply, asked) : reply.code(303).header('location', '?').send();
    });
  });
}

const keyOf = ({ params }: FastifyRequest) => (params as { key: string }).key;

const decisions: readonly PayerChoice[] = ['pay', 'fail', 'cancel'];

function decisionOf(form: Buffer | undefined): PayerChoice | undefined {
  const chosen = new URLSearchParams(form?.toString('utf8')).get('decision');
  return decisions.find((decision) => decision === chosen);
}

const policy =
  `default-src 'none'; style-src 'sha256-${hash('sha256', florinStyle, 'base64')}'; base-uri 'none'; ` +
  "form-action 'self'; frame-ancestors 'none'";

function send(reply: FastifyReply, status: number, page: Html): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    .send(page.text);
}

type PageState = PayerPayment['state'];

/** What a page says: in its title while the payer chooses and afterwards, on the button that agrees, and as result. */
interface PageTexts extends Record<Exclude<PageState, 'UNDECIDED'>, string> {
  ask: string;
  title: string;
  agree: string;
}

function textsOfPayment({ amount, currency }: PayerPayment): PageTexts {
  const price = `${decimalOf(amount, currency)} ${currency}`;
  return {
    ask: `Pay ${price}`,
    title: price,
    agree: 'Pay',
    SUCCEEDED: 'This payment is paid.',
    FAILED: 'This payment has failed.',
    CANCELLED: 'This payment was given up.',
  };
}

const textsOfSetup: PageTexts = {
  ask: 'Save a payment method',
  title: 'Payment method',
  agree: 'Agree',
  SUCCEEDED: 'This payment method is saved.',
  FAILED: 'This payment method was refused.',
  CANCELLED: 'This was given up.',
};

function pageOf(texts: PageTexts, { state, returnUrl }: PayerSetup, onStatement: string | null = null): Html {
  if (state === 'UNDECIDED') {
    const note = onStatement !== null && html`<p>On the statement: ${onStatement}</p>`;
    return htmlOf(texts.ask, html`<p>No money moves: this is the sandbox.</p>${note}${choicesOf(texts)}`);
  }
  const back = addressOf(returnUrl);
  const link = back !== undefined && html`<p><a href="${back}">Continue</a></p>`;
  return htmlOf(texts.title, html`<p>${texts[state]}</p>${link}`, back);
}

/** How long the payer sees the result, in seconds. */
const readingSeconds = 2;

const choicesOf = ({ agree }: PageTexts) => html`
<form method="post">
<button name="decision" value="pay">${agree}</button>
<button name="decision" value="fail" class="plain">Fail</button>
<button name="decision" value="cancel" class="plain">Give up</button>
</form>`;

const unknownPage = htmlOf('Not found', html`<p>There is nothing here that waits for its payer.</p>`);
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
${refresh}<style>${new Html(florinStyle)}</style>
</head>
<body>
<main>
${new Html(florinMark)}
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
