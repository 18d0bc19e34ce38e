import type { ProblemCode } from '../../server/http/problem.ts';

/** What to do about each error code. The server's catalog has its meaning. */
export const advice: Readonly<Record<ProblemCode, string>> = {
  invalid_json:
    'Send one JSON value in UTF-8. Look for a trailing comma, single quotes, or a shell that took the quotes away.',
  invalid_header:
    'Send each header once, and a Host that is a name or an address. A proxy may have added a second one.',
  invalid_cursor: 'Send nextCursor unchanged, with the same filters. To start from the beginning, omit cursor.',
  idempotency_key_required: 'Make a random key for what you want to do, and send the same one when you try that again.',
  idempotency_key_invalid: 'Use 8 to 128 letters, digits, underscores and hyphens; a UUID fits.',
  unsupported_version: 'Send one of the dates that the message lists, or leave the header out.',
  unauthenticated:
    'Send “Authorization: Bearer …” with a key that is neither expired nor revoked; below /scim/v2 with the SCIM token. In a browser, sign in again.',
  invalid_credentials:
    'Type both again. The response does not say which is wrong, so that no one can find out who is a member.',
  invalid_challenge: 'Start the sign-in again: a challenge expires after minutes and can be used once.',
  insufficient_scope:
    'Make a key with the scope that the message names, or ask for it when you take an access token. A person needs a role that has it.',
  forbidden: 'This needs a higher role. In a session, the request must also come from a page of this server.',
  password_incorrect: 'Send the password that the person signs in with now.',
  code_incorrect:
    'Send the code that the authenticator shows now; compare the clocks. Each code is good once: wait for the next, or use a backup code.',
  second_factor_required: 'Sign in, enroll an authenticator, and go on.',
  tenant_not_allowed: 'Leave Svc-Tenant out, or use a key that was made for that tenant.',
  consent_origin_not_allowed: 'Put the domain of the site into the notice and publish it. Subdomains are included.',
  not_found: 'Compare the id, and the tenant of the key: what belongs to another tenant answers just like this.',
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
  dsr_already_completed: 'Read the request: it keeps the first outcome. Open another one for anything new.',
  dsr_extension_not_allowed: 'Answer within the present period; the law allows one extension, asked for in time.',
  breach_transition_not_allowed: 'Read the incident and take a step that its status allows.',
  breach_open: 'Close the breach, then erase its texts again.',
  evidence_erased: 'Nothing is left to do: the item keeps the size and the SHA-256 of its file.',
  breach_erased: 'Report a new breach: the erased one stays closed.',
  control_transition_not_allowed: 'Read the control and take a step that its status allows.',
  control_evidence_missing: 'Add evidence, then change the status.',
  control_test_failing: 'Fix what the test found, record a new result, then change the status.',
  evidence_quota_exceeded:
    'Upload smaller files, or link to them; the operator of the server can raise SVC_EVIDENCE_MIB.',
  webhook_not_enabled: 'Set the status of the webhook to enabled, then order it again.',
  webhook_deleted: 'Create a webhook for the address; deliveries of the old one stay readable.',
  webhook_delivery_pending: 'Wait for the attempt that is under way; its result will be in the delivery.',
  webhook_redelivery_running: 'Wait until the order is finished, or cancel it.',
  idempotency_in_progress: 'Wait a moment and send the same request again: you then get the answer of the first.',
  checkpoint_missing: 'Create a checkpoint, or wait for the next one, and ask again.',
  payload_too_large: 'Send less at once: 64 KiB below /v1, 1 MiB below /scim/v2.',
  unsupported_media_type:
    'Send “Content-Type: application/json” and no Content-Encoding; for SCIM, application/scim+json.',
  validation_failed: 'Fix each value that details lists; its path says where it is in the request.',
  idempotency_key_reused:
    'Use a new key for a new request. If you meant to repeat one, send exactly what you sent before.',
  rate_limited:
    'Wait as many seconds as Retry-After says. RateLimit in every response has the number of requests left.',
  internal_error:
    'Try again later. If it happens again, send the requestId to the operator of the server: the log has the cause under this id.',
  unavailable:
    'Wait as many seconds as Retry-After says and send the same request again, with the same Idempotency-Key.',
  invalidFilter: 'Filter by one comparison: userName eq "…" or externalId eq "…".',
  invalidPath: 'Patch users with replace on active or roles, groups with add, remove or replace on members.',
  invalidSyntax: 'Send a JSON object whose schemas name the message, as RFC 7644 shows it.',
  invalidValue: 'The detail names the value: compare it with the rules of the attribute.',
  mutability: 'Leave the attribute out of the request; the provider should not map it.',
  noTarget: 'Name what shall be removed: members[value eq "…"].',
  uniqueness: 'Find the member with a filter on userName and change it instead of creating it.',
  not_implemented: 'Use PATCH, or turn on the extended SCIM compatibility of the tenant.',
  invalid_request: 'Send grant_type, client_id and client_secret once each, as a form.',
  invalid_client:
    'The client id is the id of the API key, the secret is the key itself. Neither must be revoked or expired.',
  invalid_scope: 'Ask for scopes that the key has, separated by spaces, or leave scope out to get them all.',
  unsupported_grant_type: 'Send grant_type=client_credentials.',
};
