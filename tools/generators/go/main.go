// Makes a payment with the client that oapi-codegen generates. Arguments: address of the service, key, channel.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"florin/florin"
)

func main() {
	if err := pay(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pay(address, key, channel string) error {
	channelID, err := strconv.ParseInt(channel, 10, 64)
	if err != nil {
		return err
	}
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "ApiKey "+key)
		return nil
	}
	client, err := florin.NewClientWithResponses(address, florin.WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}
	idempotencyKey := "order-go"
	description := "oapi-codegen"
	answer, err := client.CreateTransactionWithResponse(
		context.Background(),
		&florin.CreateTransactionParams{IdempotencyKey: &idempotencyKey},
		florin.TransactionCreateInput{Amount: 1099, Currency: "USD", ChannelId: channelID, Description: &description},
	)
	if err != nil {
		return err
	}
	if answer.JSON200 == nil {
		return fmt.Errorf("%s: %s", answer.Status(), answer.Body)
	}
	fmt.Println(answer.JSON200.Data.Id)
	return nil
}
