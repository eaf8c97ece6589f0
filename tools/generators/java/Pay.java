import org.openapitools.client.ApiClient;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.TransactionCreateInput;

/** Makes a payment with the client of openapi-generator. Arguments: address of the service, key, channel. */
public class Pay {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient().setBasePath(args[0]);
    ((ApiKeyAuth) client.getAuthentication("apiKey")).setApiKey("ApiKey " + args[1]);
    TransactionCreateInput payment = new TransactionCreateInput()
        .amount(1099L)
        .currency("USD")
        .channelId(Long.valueOf(args[2]))
        .description("openapi-generator java");
    System.out.println(new TransactionsApi(client).createTransaction(payment, "order-java").getData().getId());
  }
}
