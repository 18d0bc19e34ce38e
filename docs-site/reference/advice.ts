import type { ProblemCode } from '../../server/http/problem.ts';

/** Advice for each error code. The server's catalog has its meaning. */
export const advice: Readonly<Record<ProblemCode, string>> = {
  invalid_json:
    'Send one JSON value in UTF-8. Look for a trailing comma, single quotes, a shell that removed the quotes, or a name that is given twice.',
  invalid_header:
    'Send each header once, and a Host that is a host name or an address. A proxy may have added a second one.',
  invalid_cursor: 'Send nextCursor unchanged, with the same filters. To start from the beginning, omit cursor.',
  idempotency_key_required: 'Generate a random key for the request, and send the same key with each retry.',
  idempotency_key_invalid: 'Use 8 to 128 letters, digits, underscores and hyphens, such as a UUID.',
  unsupported_version: 'Send one of the dates that the message lists, or omit the header.',
  unauthenticated:
    'Send “Authorization: Bearer …” with a key that is neither expired nor revoked; below /scim/v2 with the SCIM token. In a browser, sign in again.',
  invalid_credentials:
    'Enter both again. The response does not say which is wrong, so that it does not reveal who is a member.',
  invalid_challenge: 'Start the sign-in again: a challenge expires after minutes and can be used once.',
  insufficient_scope:
    'Create a key with the scope in the message, or request that scope for the access token. A person needs a role with it.',
  forbidden: 'Use a higher role. In a session, the request must also come from a page of this server.',
  password_incorrect: 'Send the password that the person signs in with now.',
  code_incorrect:
    'Send the code that the authenticator shows now; compare the clocks. Each code works once: wait for the next, or use a backup code.',
  second_factor_required: 'Sign in, enroll an authenticator, and continue.',
  tenant_not_allowed: 'Omit Svc-Tenant, or use a key that was created for that tenant.',
  consent_origin_not_allowed: 'Put the domain of the site into the notice and publish it. Subdomains are included.',
  not_found: 'Check the id and the tenant of the key: an object of another tenant returns the same error.',
  method_not_allowed: 'Use a method that the Allow header lists.',
  conflict: 'The message names the conflict. Read the current state and decide again.',
  consent_notice_not_published:
    'Publish the notice, then capture. requiredStatus and actualStatus show the difference.',
  consent_notice_changed: 'Read the notice again, compare, and repeat the change with its new ETag.',
  trust_center_changed: 'Read the trust center again, compare, and retry with its new `ETag`.',
  consent_notice_versioned: 'Archive it instead.',
  record_erased: 'Nothing is left to do: no decision of an erased subject is acted on.',
  dsr_open: 'Complete the open requests of the data subject, then erase again.',
  consent_already_withdrawn: 'Nothing is left to do: read the record to see what is still granted.',
  dsr_already_completed: 'Read the request: it keeps the first outcome. Open a new request for anything else.',
  dsr_extension_not_allowed:
    'Answer within the current period; the law allows one extension, requested before the due date.',
  breach_transition_not_allowed: 'Read the incident and use a status that its current status allows.',
  breach_open: 'Close the breach, then erase its texts again.',
  evidence_erased: 'Nothing is left to do: the item keeps the size and the SHA-256 of its file.',
  breach_erased: 'Report a new breach: the erased one stays closed.',
  control_transition_not_allowed: 'Read the control and use a status that its current status allows.',
  control_evidence_missing: 'Add evidence, then change the status.',
  control_test_failing: 'Fix what the test found, record a new result, then change the status.',
  evidence_quota_exceeded:
    'Upload smaller files, or link to them; the operator of the server can raise SVC_EVIDENCE_MIB.',
  webhook_not_enabled: 'Set the status of the webhook to enabled, then repeat the request.',
  webhook_deleted: 'Create a webhook for the address; deliveries of the old one stay readable.',
  webhook_delivery_pending: 'Wait for the attempt in progress; its result will be in the delivery.',
  webhook_redelivery_running: 'Wait until the redelivery is finished, or cancel it.',
  idempotency_in_progress: 'Wait a moment and send the same request again: you then get the response of the first.',
  checkpoint_missing: 'Create a checkpoint, or wait for the next one, and repeat the request.',
  request_timeout: 'Send the request again, faster. An upload has more time than other requests.',
  uri_too_long: 'Shorten the address: send fewer or shorter query parameters.',
  headers_too_large: 'Send fewer or shorter headers; clear the cookies of the site.',
  expectation_failed: 'Send the request without Expect, or with “Expect: 100-continue”.',
  payload_too_large: 'Send a smaller body: at most 64 KiB below /v1, 1 MiB below /scim/v2.',
  unsupported_media_type:
    'Send “Content-Type: application/json” and no Content-Encoding; for SCIM, application/scim+json.',
  validation_failed: 'Fix each value in details; its path is its position in the request.',
  idempotency_key_reused: 'Use a new key for a new request. To repeat a request, send exactly the same one.',
  rate_limited:
    'Wait for the seconds in Retry-After. RateLimit in every response has the number of remaining requests.',
  internal_error:
    'Try again later. If it happens again, send the requestId to the operator of the server: the log has the cause under this id.',
  unavailable: 'Wait for the seconds in Retry-After and send the same request again, with the same Idempotency-Key.',
  invalidFilter: 'Filter by one comparison: userName eq "…" or externalId eq "…".',
  invalidPath: 'Patch users with replace on active or roles, groups with add, remove or replace on members.',
  invalidSyntax: 'Send a JSON object with the schemas of the message, as in RFC 7644.',
  invalidValue: 'The detail names the value: check it against the rules of the attribute.',
  mutability: 'Omit the attribute; the provider should not map it.',
  noTarget: 'Name the members to remove: members[value eq "…"].',
  uniqueness: 'Find the member with a filter on userName and change it instead of creating it.',
  not_implemented: 'Use PATCH, or turn on the extended SCIM compatibility of the tenant.',
  invalid_request: 'Send grant_type, client_id and client_secret once each, as a form.',
  invalid_client:
    'The client id is the id of the API key, the secret is the key itself. The key must not be revoked or expired.',
  invalid_scope: 'Request scopes that the key has, separated by spaces, or omit scope to get all of them.',
  unsupported_grant_type: 'Send grant_type=client_credentials.',
};
