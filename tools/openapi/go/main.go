// Calls a running server through the client that oapi-codegen generates: npm run test:openapi.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/consumer/svc"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	client, err := svc.NewClientWithResponses(os.Getenv("SVC_BASE_URL"),
		svc.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_API_KEY"))
			return nil
		}))
	check(err)

	created, err := client.CreateConsentNoticeWithResponse(ctx, nil, svc.NoticeContent{
		Name: "Shop", ControllerName: "Example Ltd", Language: "en", Domain: "shop.example.com",
		Purposes: []svc.Purpose{
			{Key: "analytics", Label: "Analytics", Description: "Counts visits.", Required: false},
		},
	})
	check(err)
	expect(created.JSON201 != nil, created.Body)
	notice := created.JSON201.Data
	expect(notice.Status == svc.NoticeStatusDraft && notice.Version == nil, created.Body)

	published, err := client.PublishConsentNoticeWithResponse(ctx, notice.Id, nil, svc.PublishConsentNoticeJSONRequestBody{})
	check(err)
	expect(published.JSON200 != nil && *published.JSON200.Data.Version == 1, published.Body)

	captured, err := client.CaptureConsentRecordWithResponse(ctx, notice.Id,
		&svc.CaptureConsentRecordParams{IdempotencyKey: "go-capture-0001"},
		svc.ConsentRecordInput{SubjectId: "customer-42", Purposes: map[string]bool{"analytics": true}})
	check(err)
	expect(captured.JSON201 != nil && captured.JSON201.Data.Purposes["analytics"], captured.Body)

	listed, err := client.ListConsentRecordsWithResponse(ctx, notice.Id, nil)
	check(err)
	expect(listed.JSON200 != nil && *listed.JSON200.Data.Page.Total == 1, listed.Body)
	expect(listed.JSON200.Data.Data[0].Id == captured.JSON201.Data.Id, listed.Body)

	refused, err := client.CaptureConsentRecordWithResponse(ctx, notice.Id,
		&svc.CaptureConsentRecordParams{IdempotencyKey: "go-capture-0002"},
		svc.ConsentRecordInput{SubjectId: "customer-42", Purposes: map[string]bool{"nonsense": true}})
	check(err)
	expect(refused.JSON422 != nil, refused.Body)
	problem := refused.JSON422.Error
	expect(problem.Code == "validation_failed" && len(*problem.Details) == 1, refused.Body)

	var event svc.ConsentRecordedEvent
	check(json.Unmarshal([]byte(os.Getenv("SVC_EVENT")), &event))
	expect(event.Data.NoticeVersion == 1, []byte(os.Getenv("SVC_EVENT")))
	fmt.Println("ok")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(holds bool, body []byte) {
	if !holds {
		log.Fatalf("unexpected answer: %s", body)
	}
}
