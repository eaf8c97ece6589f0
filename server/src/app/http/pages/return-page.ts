import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../core/errors.ts';
import { busyPage, languageOf, linkTo, type Page, pageOf } from '../../../domains/billing/checkouts/pages/page.ts';
import type { Language } from '../../../domains/billing/sellers/formats.ts';
import type { PayerReturn, PayerReturns } from '../../../domains/payments/operations/payer-returns.ts';
import { html } from '../../../platform/http/html.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { statusOf } from '../../../platform/http/refusal-reply.ts';

interface ReturnPage {
  payerReturns: Pick<PayerReturns, 'receive'>;
  /** Counts requests for addresses that do not exist, by network, so that links cannot be guessed. */
  failures: FailureLimiter;
}

/**
 * The address to which providers send payers back. It looks up what became of the payment, and redirects to the
 * merchant's `returnUrl`, which the creator of the payment has given: nothing in the request says where. What a
 * provider appends to the address is ignored. Without a `returnUrl` a page says what became of the payment.
 */
export function addReturnPage(app: FastifyInstance, { payerReturns, failures }: ReturnPage): void {
  app.get('/r/:token', async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const language = languageOf(request.raw.headers['accept-language']);
    const { token = '' } = request.params as { token?: string };
    try {
      const returned = await payerReturns.receive(token);
      if (returned === undefined) failures.count(networkOf(request.address));
      return send(reply, returned === undefined ? unknownLinkPage(language) : pageAfter(returned, language));
    } catch (error) {
      if (!(error instanceof Refusal) || (error.kind !== 'too_many' && error.kind !== 'unavailable')) throw error;
      return send(reply, busyPage(language, statusOf(error), error.retryAfterSeconds ?? 5));
    }
  });
}

function pageAfter({ kind, livemode, returnUrl, result }: PayerReturn, language: Language): Page {
  const location = linkTo(returnUrl);
  if (location !== null) return { status: 303, headers: { location }, content: '' };
  const { title, next } = texts[language][kind][result];
  return pageOf({ language, title, seller: null, livemode }, html`<h1>${title}</h1>\n<p role="status">${next}</p>`);
}

function unknownLinkPage(language: Language): Page {
  const { title, next } = texts[language].unknown;
  const content = html`<h1>${title}</h1>\n<p>${next}</p>`;
  return pageOf({ language, title, seller: null, livemode: true, status: 404 }, content);
}

function send(reply: FastifyReply, { status, headers, content }: Page): FastifyReply {
  return reply.code(status).headers(headers).send(content);
}

interface Text {
  title: string;
  next: string;
}

type Texts = Record<PayerReturn['kind'], Record<PayerReturn['result'], Text>> & { unknown: Text };

const texts: Record<Language, Texts> = {
  en: {
    PAYMENT: {
      succeeded: { title: 'Payment received', next: 'Thank you. You can close this page.' },
      failed: { title: 'The payment did not succeed', next: 'Go back to the shop to try again or to pay otherwise.' },
      open: {
        title: 'Your payment is in progress',
        next: 'You can close this page: the shop learns of the result. If you have not paid, go back to the shop.',
      },
    },
    METHOD: {
      succeeded: { title: 'Payment method saved', next: 'Thank you. You can close this page.' },
      failed: { title: 'The payment method was not saved', next: 'Go back to the shop to try again.' },
      open: {
        title: 'Your payment method is being saved',
        next: 'You can close this page: the shop learns of the result. If you have not finished, go back to the shop.',
      },
    },
    unknown: {
      title: 'This link is not valid any more',
      next:
        'Opening it has charged nothing. Go back to the shop where you paid and look at your order there, or write ' +
        'to the shop: it can see what became of your payment.',
    },
  },
  de: {
    PAYMENT: {
      succeeded: { title: 'Zahlung eingegangen', next: 'Vielen Dank. Sie können diese Seite schließen.' },
      failed: {
        title: 'Die Zahlung hat nicht geklappt',
        next: 'Gehen Sie zurück zum Shop, um es noch einmal zu versuchen oder anders zu zahlen.',
      },
      open: {
        title: 'Ihre Zahlung wird bearbeitet',
        next:
          'Sie können diese Seite schließen: Der Shop erfährt das Ergebnis. Wenn Sie nicht gezahlt haben, gehen Sie ' +
          'zurück zum Shop.',
      },
    },
    METHOD: {
      succeeded: { title: 'Zahlungsmittel gespeichert', next: 'Vielen Dank. Sie können diese Seite schließen.' },
      failed: {
        title: 'Das Zahlungsmittel wurde nicht gespeichert',
        next: 'Gehen Sie zurück zum Shop, um es noch einmal zu versuchen.',
      },
      open: {
        title: 'Ihr Zahlungsmittel wird gespeichert',
        next:
          'Sie können diese Seite schließen: Der Shop erfährt das Ergebnis. Wenn Sie nicht fertig geworden sind, ' +
          'gehen Sie zurück zum Shop.',
      },
    },
    unknown: {
      title: 'Dieser Link gilt nicht mehr',
      next:
        'Durch das Öffnen wurde nichts abgebucht. Gehen Sie zurück zum Shop, bei dem Sie gezahlt haben, und sehen ' +
        'Sie dort nach Ihrer Bestellung, oder schreiben Sie dem Shop: Er sieht, was aus Ihrer Zahlung geworden ist.',
    },
  },
};
