import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';

/** The customer of the disputed payment. A dispute itself names none. */
export function DisputeCustomer({ transactionId }: { transactionId: string }) {
  const mayRead = useMay('transaction_read');
  const payment = useRead('transactions.get', { id: transactionId }, { enabled: mayRead }).data?.data;
  return <CustomerLink id={payment?.customerId} />;
}
