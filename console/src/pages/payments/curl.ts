import { serviceUrl, type TransactionDetail } from '../../api/client.ts';

/** A shell command that creates such a payment. The key comes from the environment, because the console has none. */
export function curlOf(payment: Pick<TransactionDetail, 'amount' | 'currency' | 'channelId' | 'description'>): string {
  const { amount, currency, channelId, description } = payment;
  const body = JSON.stringify({ amount, currency, channelId, ...(description && { description }) });
  return [
    `curl -s ${serviceUrl}/api/transaction/create \\`,
    `  -H "Authorization: ApiKey $FLORIN_API_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${body.replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}
