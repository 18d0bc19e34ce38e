"""Calls a running server through the client that openapi-python-client generates: npm run test:openapi."""

import json
import os

from svc_api_client import AuthenticatedClient
from svc_api_client.api.consent_notices import create_consent_notice, publish_consent_notice
from svc_api_client.api.consent_records import capture_consent_record, list_consent_records
from svc_api_client.models import (
    ConsentRecordedEvent,
    ConsentRecordInput,
    ConsentRecordInputPurposes,
    ErrorEnvelope,
    NoticeContent,
    NoticeStatus,
    Purpose,
)

client = AuthenticatedClient(base_url=os.environ["SVC_BASE_URL"], token=os.environ["SVC_API_KEY"])


def record(purpose: str) -> ConsentRecordInput:
    purposes = ConsentRecordInputPurposes.from_dict({purpose: True})
    return ConsentRecordInput(subject_id="customer-42", purposes=purposes)


content = NoticeContent(
    name="Shop",
    controller_name="Example Ltd",
    language="en",
    domain="shop.example.com",
    purposes=[Purpose(key="analytics", label="Analytics", description="Counts visits.", required=False)],
)
notice = create_consent_notice.sync(client=client, body=content).data
assert notice.status == NoticeStatus.DRAFT and notice.version is None, notice

published = publish_consent_notice.sync(notice.id, client=client).data
assert published.version == 1, published

captured = capture_consent_record.sync(
    notice.id, client=client, body=record("analytics"), idempotency_key="py-capture-0001"
).data
assert captured.purposes["analytics"] is True, captured

listed = list_consent_records.sync(notice.id, client=client).data
assert listed.page.total == 1 and listed.data[0].id == captured.id, listed

refused = capture_consent_record.sync(
    notice.id, client=client, body=record("nonsense"), idempotency_key="py-capture-0002"
)
assert isinstance(refused, ErrorEnvelope) and refused.error.code == "validation_failed", refused
assert len(refused.error.details) == 1, refused

event = ConsentRecordedEvent.from_dict(json.loads(os.environ["SVC_EVENT"]))
assert event.data.notice_version == 1, event
print("ok")
