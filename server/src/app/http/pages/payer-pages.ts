import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../core/errors.ts';
import type { CheckoutPages, PageRequest } from '../../../domains/billing/checkouts/pages/checkout-pages.ts';
import { busyPage, languageOf, missingPage, type Page } from '../../../domains/billing/checkouts/pages/page.ts';
import type { PortalPages } from '../../../domains/billing/checkouts/portal/portal-pages.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { withRawBodies } from '../../../platform/http/raw-body.ts';
import { statusOf } from '../../../platform/http/refusal-reply.ts';

interface PayerPages {
  checkoutPages: CheckoutPages;
  portalPages: PortalPages;
  /** Counts requests for addresses that do not exist, by network, so that links cannot be guessed. */
  failures: FailureLimiter;
  /** Resolves when a payment may be created, or rejects because the service is overloaded. */
  admit: () => Promise<void>;
}

/** Forms have a field or two. */
const maximumFormBytes = 4 * 1024;

type Show = (request: FastifyRequest) => Promise<Page | undefined>;

/**
 * The pages that payers open, below /p: checkouts and portals. They return HTML instead of the envelope, and are not
 * part of the API. Unknown, expired and used tokens all get the same page.
 */
export function addPayerPages(app: FastifyInstance, { checkoutPages, portalPages, failures, admit }: PayerPages): void {
  const answering =
    (show: Show) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const language = languageOf(request.raw.headers['accept-language']);
      try {
        const page = await show(request);
        if (page === undefined) failures.count(networkOf(request.address));
        return send(reply, page ?? missingPage(language));
      } catch (error) {
        if (!(error instanceof Refusal) || !isTemporary(error)) throw error;
        return send(reply, busyPage(language, statusOf(error), error.retryAfterSeconds ?? 5));
      }
    };
  const get = (path: string, show: Show) => app.get(path, answering(show));

  get('/p/:token', (request) => checkoutPages.show(pageRequestOf(request)));
  get('/p/:token/logo', (request) => checkoutPages.logo(param(request, 'token')));
  get('/p/:token/invoice.pdf', (request) => checkoutPages.pdf(param(request, 'token')));
  get('/p/return/:token', (request) => checkoutPages.returned(param(request, 'token')));
  get('/p/portal/:token', (request) => {
    const { token, language } = pageRequestOf(request);
    const query = queryOf(request);
    return portalPages.show(token, language, { cancel: query.get('cancel'), setup: query.get('setup') });
  });
  get('/p/portal/:token/logo', (request) => portalPages.logo(param(request, 'token')));
  get('/p/portal/:token/invoice/:file', (request) => {
    const id = /^(\d{1,16})\.pdf$/.exec(param(request, 'file'))?.[1] ?? '';
    return portalPages.pdf(param(request, 'token'), id);
  });

  withRawBodies(app, (part) => {
    const post = (path: string, show: Show) => {
      const admitted: Show = async (request) => {
        await admit();
        return show(request);
      };
      part.post(path, { bodyLimit: maximumFormBytes }, answering(admitted));
    };
    post('/p/:token', (request) => {
      const [page, form, origin] = [pageRequestOf(request), formOf(request), originOf(request)];
      if (form.get('action') === 'give-up') return checkoutPages.giveUp(page, origin);
      const [remember, isDefault] = [form.has('remember'), form.has('default')];
      const filledIn = { channel: form.get('channel'), besides: form.get('besides'), remember, isDefault };
      return checkoutPages.pay(page, filledIn, payerOriginOf(request));
    });
    post('/p/portal/:token/cancel', (request) =>
      portalPages.cancel(param(request, 'token'), formOf(request).get('subscription'), originOf(request)),
    );
    post('/p/portal/:token/method', (request) => {
      const [{ token, language }, form] = [pageRequestOf(request), formOf(request)];
      const change = { action: form.get('action'), method: form.get('method') };
      return portalPages.changeMethod(token, language, change, originOf(request));
    });
    post('/p/portal/:token/method-add', (request) => {
      const [{ token, language }, form] = [pageRequestOf(request), formOf(request)];
      const setup = { channel: form.get('channel'), isDefault: form.has('default') };
      return portalPages.addMethod(token, language, setup, payerOriginOf(request));
    });
    post('/p/portal/:token/pay', (request) => portalPages.pay(param(request, 'token'), formOf(request).get('invoice')));
  });
}

/** Whether the same request can succeed later: too many requests, or an unavailable database. */
const isTemporary = ({ kind }: Refusal) => kind === 'too_many' || kind === 'unavailable';

const param = ({ params }: FastifyRequest, name: string) => (params as Record<string, string>)[name] ?? '';
const queryOf = ({ url }: FastifyRequest) => new URLSearchParams(url.split('?')[1]);
const formOf = ({ body }: FastifyRequest) => new URLSearchParams((body as Buffer | undefined)?.toString('utf8'));
const originOf = ({ id, address }: FastifyRequest) => ({ requestId: id, address });

/** The browser's name is kept with the payer's consent, as far as it has a reasonable length. */
const payerOriginOf = (request: FastifyRequest) => ({
  ...originOf(request),
  userAgent: (request.raw.headers['user-agent'] ?? '').slice(0, 500),
});

function pageRequestOf(request: FastifyRequest): PageRequest {
  return {
    token: param(request, 'token'),
    language: languageOf(request.raw.headers['accept-language']),
    isLeaving: queryOf(request).has('go'),
  };
}

function send(reply: FastifyReply, { status, headers, content }: Page): FastifyReply {
  return reply.code(status).headers(headers).send(content);
}
