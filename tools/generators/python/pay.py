"""Makes a payment with the client of openapi-python-client. Arguments: address of the service, key, channel."""

import sys

from florin_client import AuthenticatedClient
from florin_client.api.transactions import create_transaction
from florin_client.models import TransactionCreateInput, TransactionResponse

address, key, channel = sys.argv[1:]
with AuthenticatedClient(base_url=address, token=key, prefix="ApiKey") as client:
    answer = create_transaction.sync(
        client=client,
        body=TransactionCreateInput(
            amount=1099, currency="USD", channel_id=int(channel), description="openapi-python-client"
        ),
        idempotency_key="order-python",
    )
if not isinstance(answer, TransactionResponse):
    sys.exit(f"The payment was refused: {answer}")
print(answer.data.id)
