// What every runtime must do with the installed package: a request, a retry, a list, a signed webhook. Its arguments
// are the address of the package's entry and that of a server that answers any request with a payment.
const [, , entry, baseUrl] = globalThis.process?.argv ?? [];
const { Florin, SignatureError, ConnectionError } = await import(entry);

const florin = new Florin({ apiKey: 'sk_live_runtime', baseUrl });
const payment = await florin.transactions.create({ amount: 1, currency: 'USD', channelId: 1 });
must(payment.id === 'txn_1', 'a payment is created');
const rows = await florin.channels.list().toArray();
must(rows.length === 2, 'a list is iterated');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const { body, headers } = await florin.webhooks.signForTest(
  { type: 'transaction.created', data: { object: {} } },
  secret,
);
must(
  (await florin.webhooks.verify(body, new Headers(headers), secret)).type === 'transaction.created',
  'a webhook verifies',
);
const forged = await florin.webhooks.verify(`${body} `, headers, secret).catch((error) => error);
must(forged instanceof SignatureError, 'a forged webhook is refused');
const nowhere = await new Florin({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 }).health
  .live()
  .catch((error) => error);
must(nowhere instanceof ConnectionError, 'a missing service is a ConnectionError');
console.log('every step passed');

function must(holds, step) {
  if (!holds) throw new Error(`This failed: ${step}.`);
}
