"""Makes a payment with the models of datamodel-code-generator. Arguments: address of the service, key, channel."""

import sys

import httpx
from florin_models import TransactionCreateInput, TransactionResponse

address, key, channel = sys.argv[1:]
payment = TransactionCreateInput(
    amount=1099, currency="USD", channelId=int(channel), description="datamodel-code-generator"
)
answer = httpx.post(
    f"{address}/api/transaction/create",
    headers={"Authorization": f"ApiKey {key}", "Idempotency-Key": "order-models"},
    json=payment.model_dump(mode="json", exclude_none=True),
)
if answer.status_code != 200:
    sys.exit(f"The payment was refused: {answer.text}")
print(TransactionResponse.model_validate(answer.json()).data.id)
