// Generated from server/openapi.json by tools/types/write.ts.
// biome-ignore-all format: generated
import type {
  ApiPromise,
  ChangeOptions,
  ListOptions,
  PagePromise,
  RequestOptions,
} from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items, PageParams, ScimProjection } from '../types/values.ts';
import { get, page, patch, post, put, Resource, remove, scim } from './resource.ts';

/**
 * Write, publish and archive the notices that visitors see. A published version never changes. Scopes: `consent:read`,
 * `consent:write`.
 */
export abstract class ConsentNoticesMethods extends Resource {
  /**
   * List consent notices, newest first. Needs the scope `consent:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListConsentNoticesParams = {}, options?: ListOptions): PagePromise<Api.Notice> {
    return this.api.list({ ...get('listConsentNotices', '/v1/consent', {}, params), page: 'data' }, options);
  }

  /** Create a consent notice as a draft. Needs the scope `consent:write`. */
  create(body: Api.NoticeContent, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request(post('createConsentNotice', '/v1/consent/notices', {}, body), options);
  }

  /**
   * Edit the content of a consent notice. What is published stays public as it is until the notice is published again.
   * Send the `ETag` of the notice as `If-Match` to change only the content that you have seen. Needs the scope
   * `consent:write`.
   * @throws {ConflictError} `consent_notice_changed`: The content of the notice is not the one that If-Match names.
   */
  update(
    noticeId: string,
    body: Api.NoticeChange,
    { ifMatch, ...options }: ChangeOptions = {},
  ): ApiPromise<Api.Notice> {
    const operation = patch('editConsentNotice', '/v1/consent/{id}', { id: noticeId }, body);
    return this.api.request({ ...operation, ifMatch }, options);
  }

  /**
   * Delete a consent notice that was never published. A notice with a published version can only be archived: its
   * records refer to it. Needs the scope `consent:write`.
   * @throws {ConflictError} `consent_notice_changed`: The content of the notice is not the one that If-Match names.
   *   `consent_notice_versioned`: The notice was published: its versions stay.
   */
  delete(noticeId: string, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<void> {
    const operation = remove('deleteConsentNotice', '/v1/consent/{id}', { id: noticeId });
    return this.api.request({ ...operation, answer: 'none', ifMatch }, options);
  }

  /** Archive a consent notice: no more captures. Needs the scope `consent:write`. */
  archive(noticeId: string, options?: RequestOptions): ApiPromise<Api.Notice> {
    return this.api.request(post('archiveConsentNotice', '/v1/consent/{id}/archive', { id: noticeId }), options);
  }

  /**
   * Get the default words of the banner in a language. What the banner says where the notice has no text of its own.
   * Needs the scope `consent:read`.
   */
  retrieveWords(params: Api.GetConsentNoticeWordsParams = {}, options?: RequestOptions): ApiPromise<Api.NoticeWords> {
    return this.api.request(get('getConsentNoticeWords', '/v1/consent/notices/words', {}, params), options);
  }

  /**
   * Get what visitors saw of a published version in one language. The bytes of the answer are those that visitors got:
   * their SHA-256 is `hash`. Needs the scope `consent:read`.
   */
  retrieveShown(noticeId: string, hash: string, options?: RequestOptions): ApiPromise<Api.PublicNotice> {
    const operation = get('getConsentNoticeShown', '/v1/consent/{id}/shown/{hash}', { id: noticeId, hash });
    return this.api.request(operation, options);
  }

  /**
   * List the published versions of a consent notice, newest first. Needs the scope `consent:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  listVersions(noticeId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.NoticeVersion> {
    const operation = page('listConsentNoticeVersions', '/v1/consent/{id}/versions', { id: noticeId }, params);
    return this.api.list(operation, options);
  }

  /**
   * Count the decisions on a notice by day and purpose, newest first. A day without reads and records is absent. The
   * counts of records are exact. Needs the scope `consent:read`.
   */
  statistics(
    noticeId: string,
    params: Api.GetConsentNoticeStatisticsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.NoticeDay>> {
    const operation = get('getConsentNoticeStatistics', '/v1/consent/{id}/statistics', { id: noticeId }, params);
    return this.api.request(operation, options);
  }

  /**
   * List the hosts whose pages show a notice, the latest seen first. Written every five seconds. At most 50 hosts of
   * the domain of the notice, and at most 10 others, whose decisions were refused (`lastRefusedAt`): a new one takes
   * the place of one of its kind that was not seen for a day. Any client can claim to be a page of a host, so this is
   * no evidence. Needs the scope `consent:read`.
   */
  listSightings(noticeId: string, options?: RequestOptions): ApiPromise<Items<Api.NoticeSighting>> {
    return this.api.request(get('listConsentNoticeSightings', '/v1/consent/{id}/sightings', { id: noticeId }), options);
  }
}

/** The append-only ledger of decisions: capture, withdraw and read records. Scopes: `consent:write`. */
export abstract class ConsentMethods extends Resource {
  /**
   * Record the decision of a subject about one purpose. The notice is the published one that asks for the purpose. If
   * several ask for it, name one in `noticeId`, or the answer is 409 `conflict`. Needs the scope `consent:write`.
   * @throws {ConflictError} `consent_notice_not_published`: Records can only be captured against a published notice.
   */
  decide(body: Api.ConsentDecisionInput, options?: RequestOptions): ApiPromise<Api.ConsentDecision> {
    return this.api.request(post('recordConsentDecision', '/v1/consent', {}, body), options);
  }
}

/** The append-only ledger of decisions: capture, withdraw and read records. Scopes: `consent:read`, `dsr:write`. */
export abstract class ConsentSubjectsMethods extends Resource {
  /**
   * Get the current state of a subject and its records over all notices, newest first. Decisions of visitors and
   * decisions captured with credentials are two spaces: `state` has both, and a record changes only the state of its
   * own. Needs the scope `consent:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  retrieve(subjectId: string, params: PageParams = {}, options?: RequestOptions): ApiPromise<Api.SubjectLedger> {
    const operation = get('getSubjectLedger', '/v1/consent/subjects/{subjectId}', { subjectId }, params);
    return this.api.request(operation, options);
  }

  /**
   * Find the other spellings of a subject id. Lists the stored ids that are the same after NFKC, case folding, and
   * removal of invisible characters and of white space around them: `Nora.K@corp.example` for `nora.k@corp.example`.
   * Ids are stored as they were given, and each is a subject of its own: before you erase a person, search, and erase
   * each spelling that is theirs. A POST, so that no id is in an address; it changes nothing. Needs the scope
   * `consent:read`.
   */
  search(body: Api.SubjectSearch, options?: RequestOptions): ApiPromise<Items<Api.SubjectSpelling>> {
    return this.api.request(post('searchSubjects', '/v1/consent/subjects/search', {}, body), options);
  }

  /**
   * Erase what identifies a data subject. Clears the subject and the keyed hashes of address and agent in all records
   * of the subject, and the completed data-subject requests, webhook events and stored responses with them. In the
   * audit log, clears each value that is the subject, and the texts of events about these requests. The records
   * themselves stay in the ledger, which verifies as before. Pending deliveries are canceled. Cannot be undone. Emits
   * `subject.erased`. Repeating the request erases what came since, and joins an erasure that is still running. Needs
   * the scope `dsr:write`.
   * @throws {ConflictError} `dsr_open`: A request of the data subject is open; complete it first.
   */
  erase(subjectId: string, body: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    const operation = post('eraseSubject', '/v1/consent/subjects/{subjectId}/erase', { subjectId }, body);
    return this.api.request(operation, options);
  }
}

/**
 * The append-only ledger of decisions: capture, withdraw and read records. Scopes: `consent:read`, `consent:write`.
 */
export class ConsentRecords extends Resource {
  /**
   * List the records of a notice, newest first. A page with a filter reads at most 2,000 records: it may have fewer
   * than `limit`, or none, and still a `nextCursor`. Those of a subject and of a span of time are found without reading
   * the others. Needs the scope `consent:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(
    noticeId: string,
    params: Api.ListConsentRecordsParams = {},
    options?: ListOptions,
  ): PagePromise<Api.ConsentRecord> {
    const operation = get('listConsentRecords', '/v1/consent/{id}/records', { id: noticeId }, params);
    return this.api.list({ ...operation, page: 'data' }, options);
  }

  /**
   * Capture a consent record against a published notice. Appends to the ledger. A record that turns off what the
   * subject granted before is stored as a withdrawal of it. Needs the scope `consent:write`.
   * @throws {ConflictError} `consent_notice_not_published`: Records can only be captured against a published notice.
   */
  capture(noticeId: string, body: Api.ConsentRecordInput, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    return this.api.request(post('captureConsentRecord', '/v1/consent/{id}/records', { id: noticeId }, body), options);
  }

  /** Get one consent record. Needs the scope `consent:read`. */
  retrieve(noticeId: string, recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    const operation = get('getConsentRecord', '/v1/consent/{id}/records/{recordId}', { id: noticeId, recordId });
    return this.api.request(operation, options);
  }

  /** Find a consent record by its id. For a record whose notice you do not know. Needs the scope `consent:read`. */
  find(recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentRecord> {
    return this.api.request(get('findConsentRecord', '/v1/consent/records/{recordId}', { recordId }), options);
  }

  /**
   * Get the receipt of a consent record as JSON-LD. Follows the profile of ISO/IEC TS 27560:2023 in the Data Privacy
   * Vocabulary (DPV). It has one consent record for each purpose that the record decided and that needed consent
   * (`basis`), in the words of the `language` of the record, with the earlier grant and the later decisions of the
   * subject. What the version of the notice does not state is left out; where the profile requires it, `missing` names
   * it and the receipt does not claim to follow the profile. Needs the scope `consent:read`.
   */
  retrieveReceipt(recordId: string, options?: RequestOptions): ApiPromise<Api.ConsentReceipt> {
    const operation = get('getConsentReceipt', '/v1/consent/records/{recordId}/receipt', { recordId });
    return this.api.request({ ...operation, answer: 'bare' }, options);
  }

  /**
   * Withdraw purposes that a record granted. Appends a new record that names the original; the original stays as it is.
   * Works on archived notices too. Needs the scope `consent:write`.
   * @throws {ConflictError} `consent_already_withdrawn`: None of the named purposes is still granted. `record_erased`:
   *   The values of the record that identify a person were erased.
   */
  withdraw(
    noticeId: string,
    recordId: string,
    body: Api.ConsentWithdrawalInput = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ConsentRecord> {
    const operation = post(
      'withdrawConsentRecord',
      '/v1/consent/{id}/records/{recordId}/withdrawals',
      { id: noticeId, recordId },
      body,
    );
    return this.api.request(operation, options);
  }
}

/** Endpoints of the banner and the trust badge: no credentials, open to the pages of every site (CORS). */
export abstract class PublicConsentMethods extends Resource {
  /**
   * Get a published consent notice. The latest published version, in one language. Each version has fixed bytes in each
   * of its languages; `shown` of the version has their hashes. Send the `ETag` back as `If-None-Match` to get a 304
   * while it has not changed. `Svc-Region` has the region of the visitor where the server knows it from its proxy; the
   * body does not depend on it.
   */
  retrieveNotice(
    noticeId: string,
    params: Api.GetPublicConsentNoticeParams = {},
    options?: RequestOptions,
  ): ApiPromise<Api.PublicNotice> {
    const operation = get('getPublicConsentNotice', '/v1/public/consent/{noticeId}', { noticeId }, params);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }
}

/**
 * Controls of the tenant with their evidence and tests, mapped to compliance frameworks. Scopes: `controls:read`,
 * `controls:write`.
 */
export abstract class ControlsMethods extends Resource {
  /**
   * List the controls of the tenant, by their codes. The controls of the adopted frameworks, and custom controls.
   * Everything that depends on time is derived from dates at the time of the request. Needs the scope `controls:read`.
   */
  list(options?: RequestOptions): ApiPromise<Api.ControlList> {
    return this.api.request(get('listControls', '/v1/control-framework'), options);
  }

  /**
   * Get the readiness of the tenant, overall and for each framework and domain. Of the controls that apply (status
   * other than `not_applicable`): score = floor(100 × accepted ÷ total), 0 without any control. A control counts as
   * accepted while its status is `accepted`: a user accepted it, its next review is not due, its evidence is current,
   * and the latest result of none of its tests is `fail`. If any of these ends, it leaves the score at that moment.
   * Needs the scope `controls:read`.
   */
  retrieveReadiness(options?: RequestOptions): ApiPromise<Api.Readiness> {
    return this.api.request(get('getReadiness', '/v1/control-framework/readiness'), options);
  }

  /**
   * Get the health of tests and evidence. Of the controls that apply. totalControls = failing + warning + passing +
   * unknown = currentEvidence + staleEvidence + expiredEvidence + missingEvidence. Needs the scope `controls:read`.
   */
  retrieveTestHealth(options?: RequestOptions): ApiPromise<Api.TestHealth> {
    return this.api.request(get('getTestHealth', '/v1/control-framework/test-health'), options);
  }

  /**
   * Create a custom control. At most 1,000 for a tenant. `controls.frameworks.retrieve` lists the requirements that it
   * may be mapped to. Answers 409 `conflict` for a code that another control has. Needs the scope `controls:write`.
   */
  create(body: Api.ControlInput, options?: RequestOptions): ApiPromise<Api.ControlDetail> {
    return this.api.request(post('createControl', '/v1/control-framework/controls', {}, body), options);
  }

  /** Get a control with its details. Needs the scope `controls:read`. */
  retrieve(controlId: string, options?: RequestOptions): ApiPromise<Api.ControlDetail> {
    return this.api.request(get('getControl', '/v1/control-framework/controls/{controlId}', { controlId }), options);
  }

  /**
   * Remove a custom control. It leaves all lists and counts, and its code becomes free; its data and its history in the
   * audit log are kept. A control of the catalogue cannot be removed: set it to `not_applicable`. Needs the scope
   * `controls:write`.
   */
  retire(controlId: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('retireControl', '/v1/control-framework/controls/{controlId}', { controlId });
    return this.api.request({ ...operation, answer: 'none' }, options);
  }
}

/**
 * Controls of the tenant with their evidence and tests, mapped to compliance frameworks. Scopes: `controls:read`,
 * `controls:write`.
 */
export class ControlsFrameworks extends Resource {
  /** List the frameworks of the catalogue, with what may be claimed. Needs the scope `controls:read`. */
  list(options?: RequestOptions): ApiPromise<Items<Api.ControlFramework>> {
    return this.api.request(get('listFrameworks', '/v1/control-framework/frameworks'), options);
  }

  /** Get a framework, with the requirements that controls may be mapped to. Needs the scope `controls:read`. */
  retrieve(code: string, options?: RequestOptions): ApiPromise<Api.ControlFrameworkDetail> {
    return this.api.request(get('getFramework', '/v1/control-framework/frameworks/{code}', { code }), options);
  }

  /**
   * Set the frameworks that the tenant follows. Controls that come into force for the first time start as
   * `not_started`, with the tests of the catalogue. Controls that no framework of the list needs leave all lists and
   * counts, and return with their history when one does. Sending the same list again adds controls that the catalogue
   * has gained since. Parts of a framework bind only some companies (see its `scopeSummary`): set the controls that are
   * mapped to nothing else to `not_applicable`, or they count in the score. SOC 2: the criteria of availability (A),
   * confidentiality (C), processing integrity (PI) and privacy (P) are optional. CCPA: 11 CCR §§ 7120 to 7123 bind only
   * businesses that must have the cybersecurity audit. Needs the scope `controls:write`.
   */
  adopt(body: Api.FrameworkAdoptionInput, options?: RequestOptions): ApiPromise<Api.FrameworkAdoption> {
    return this.api.request(post('adoptFrameworks', '/v1/control-framework/adopt', {}, body), options);
  }
}

/**
 * Controls of the tenant with their evidence and tests, mapped to compliance frameworks. Scopes: `controls:read`,
 * `controls:write`.
 */
export abstract class ControlsEvidenceMethods extends Resource {
  /**
   * Get the space that evidence files take, and how much they may take. An upload that does not fit is refused:
   * `evidence_quota_exceeded`. Needs the scope `controls:read`.
   */
  usage(options?: RequestOptions): ApiPromise<Api.EvidenceUsage> {
    return this.api.request(get('getEvidenceUsage', '/v1/control-framework/evidence-usage'), options);
  }

  /**
   * Add an item of evidence to a control. A control whose evidence was requested, overdue or not, becomes
   * `evidence_submitted`, unless the item has already expired. A control that was accepted and lacked current evidence
   * is accepted again, until its next review. Needs the scope `controls:write`.
   */
  add(controlId: string, body: Api.EvidenceInput, options?: RequestOptions): ApiPromise<Api.Evidence> {
    const operation = post('addEvidence', '/v1/control-framework/controls/{controlId}/evidence', { controlId }, body);
    return this.api.request(operation, options);
  }

  /**
   * List the evidence of a control, the items added last first. Withdrawn items are included. Needs the scope
   * `controls:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(controlId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.Evidence> {
    const operation = page(
      'listEvidence',
      '/v1/control-framework/controls/{controlId}/evidence',
      { controlId },
      params,
    );
    return this.api.list(operation, options);
  }

  /** Get one item of evidence. Needs the scope `controls:read`. */
  retrieve(controlId: string, evidenceId: string, options?: RequestOptions): ApiPromise<Api.Evidence> {
    const operation = get(
      'getEvidence',
      '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}',
      { controlId, evidenceId },
    );
    return this.api.request(operation, options);
  }

  /**
   * Withdraw an item of evidence: it is kept and no longer counts. A control that was accepted is in `needs_review`
   * without current evidence; every other status stays. If the item was withdrawn before, nothing changes: the first
   * reason stays. Needs the scope `controls:write`.
   */
  withdraw(
    controlId: string,
    evidenceId: string,
    body: Api.EvidenceWithdrawal,
    options?: RequestOptions,
  ): ApiPromise<Api.Evidence> {
    const operation = post(
      'withdrawEvidence',
      '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}/withdraw',
      { controlId, evidenceId },
      body,
    );
    return this.api.request(operation, options);
  }

  /**
   * Erase the texts and the file of an item of evidence. Clears the title, the description, the link, the name of the
   * file and the reason of the withdrawal, also in audit events and stored responses, and deletes the file. Kind,
   * dates, size and SHA-256 stay. The item is withdrawn with it. Other items with the same bytes keep their copy.
   * Cannot be undone. Emits `subject.erased` unless nothing was left to erase. Needs the scope `controls:write`.
   */
  erase(
    controlId: string,
    evidenceId: string,
    body: Api.ErasureInput,
    options?: RequestOptions,
  ): ApiPromise<Api.Erasure> {
    const operation = post(
      'eraseEvidence',
      '/v1/control-framework/controls/{controlId}/evidence/{evidenceId}/erase',
      { controlId, evidenceId },
      body,
    );
    return this.api.request(operation, options);
  }
}

/**
 * Controls of the tenant with their evidence and tests, mapped to compliance frameworks. Scopes: `controls:write`,
 * `controls:read`.
 */
export class ControlsTests extends Resource {
  /**
   * Add a test to a control. It is due at once. At most 200 per control, retired ones included. Needs the scope
   * `controls:write`.
   */
  add(controlId: string, body: Api.ControlTestInput, options?: RequestOptions): ApiPromise<Api.ControlTest> {
    const operation = post('addControlTest', '/v1/control-framework/controls/{controlId}/tests', { controlId }, body);
    return this.api.request(operation, options);
  }

  /** List the tests of a control, the oldest first. Needs the scope `controls:read`. */
  list(
    controlId: string,
    params: Api.ListControlTestsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.ControlTest>> {
    const operation = get(
      'listControlTests',
      '/v1/control-framework/controls/{controlId}/tests',
      { controlId },
      params,
    );
    return this.api.request(operation, options);
  }

  /**
   * Retire a test: it is kept with its results, and no longer counts. If it was retired before, nothing changes. Needs
   * the scope `controls:write`.
   */
  retire(controlId: string, testId: string, options?: RequestOptions): ApiPromise<Api.ControlTest> {
    const operation = remove(
      'retireControlTest',
      '/v1/control-framework/controls/{controlId}/tests/{testId}',
      { controlId, testId },
    );
    return this.api.request(operation, options);
  }

  /**
   * Record a test result. The latest result of a test counts: the one with the latest time; of several with the same
   * time, the one recorded last. While it is `fail`, a control that was accepted is in `needs_review`; every other
   * status stays. Answers 409 `conflict` for a retired test. Needs the scope `controls:write`.
   */
  recordResult(
    controlId: string,
    testId: string,
    body: Api.TestResultInput,
    options?: RequestOptions,
  ): ApiPromise<Api.TestResult> {
    const operation = post(
      'recordTestResult',
      '/v1/control-framework/controls/{controlId}/tests/{testId}/results',
      { controlId, testId },
      body,
    );
    return this.api.request(operation, options);
  }

  /**
   * List the results of a test, the latest first. Needs the scope `controls:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  listResults(
    controlId: string,
    testId: string,
    params: PageParams = {},
    options?: ListOptions,
  ): PagePromise<Api.TestResult> {
    const operation = page(
      'listTestResults',
      '/v1/control-framework/controls/{controlId}/tests/{testId}/results',
      { controlId, testId },
      params,
    );
    return this.api.list(operation, options);
  }
}

/** Members of the tenant, their roles and sessions, and invitations. Scopes: `users:read`, `users:write`. */
export abstract class UsersMethods extends Resource {
  /**
   * List the members, newest first. Needs the scope `users:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListUsersParams = {}, options?: ListOptions): PagePromise<Api.User> {
    return this.api.list(page('listUsers', '/v1/users', {}, params), options);
  }

  /** Get one member. Needs the scope `users:read`. */
  retrieve(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(get('getUser', '/v1/users/{id}', { id: userId }), options);
  }

  /**
   * Change the role of a member, or suspend or reactivate them. A suspended member cannot sign in, and their sessions
   * in this tenant end at once. The last administrator who can sign in cannot be suspended or lose the role. Answers
   * 409 `conflict` for the caller itself. Needs the scope `users:write`.
   */
  update(userId: string, body: Api.UserChange, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(patch('editUser', '/v1/users/{id}', { id: userId }, body), options);
  }

  /**
   * Remove a member. The history stays; a former member who is added again keeps the id. Answers 409 `conflict` for the
   * caller itself and for the last administrator who can sign in. Needs the scope `users:write`.
   */
  remove(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(remove('removeUser', '/v1/users/{id}', { id: userId }), options);
  }

  /**
   * Create the token of a link with which a member sets a new password. The token is shown only once and works once,
   * within a day, at /app/reset#token; earlier ones of the member end. The operator of this server must reset the
   * password of a user who also signs in to another tenant, because it opens that tenant too. Answers 409 `conflict`
   * for a member who cannot sign in. Needs the scope `users:write`.
   */
  createPasswordReset(userId: string, options?: RequestOptions): ApiPromise<Api.PasswordResetToken> {
    return this.api.request(post('createPasswordReset', '/v1/users/{id}/password-reset', { id: userId }), options);
  }

  /**
   * Reset the second factor of a member. For a member who lost their device: they sign in with only the password and
   * enroll again. The operator of this server must reset the second factor of a user who also signs in to another
   * tenant, because it protects that tenant too. Answers 409 `conflict` for a member without one. Needs the scope
   * `users:write`.
   */
  resetSecondFactor(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(remove('resetUserSecondFactor', '/v1/users/{id}/mfa', { id: userId }), options);
  }

  /**
   * Erase what identifies a present or former member. Removes the member and ends their sessions in this tenant, and
   * clears their e-mail address, names and id at the identity provider in invitations, the audit log, webhook events
   * and stored responses of this tenant. What they did stays in the audit log without their address, which verifies as
   * before; API keys stay. Pending deliveries are canceled. Other tenants keep the membership that they have; the
   * account, with password and second factor, goes with the last one. Cannot be undone. The last administrator who can
   * sign in cannot be erased. Answers 409 `conflict` for the caller itself, also with an API key that they created.
   * Needs the scope `users:write`.
   */
  erase(userId: string, body: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.UserErasure> {
    return this.api.request(post('eraseUser', '/v1/users/{id}/erase', { id: userId }, body), options);
  }
}

/** Members of the tenant, their roles and sessions, and invitations. Scopes: `members:read`. */
export class Members extends Resource {
  /**
   * List the members who can sign in, by name and role, newest first. For callers who assign work to members: owners of
   * controls, assignees of requests. Needs the scope `members:read`.
   * @param params `limit` is 1 to 100, default 100.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.Member> {
    return this.api.list(page('listMembers', '/v1/members', {}, params), options);
  }
}

/** Members of the tenant, their roles and sessions, and invitations. Scopes: `users:read`, `users:write`. */
export class UsersSessions extends Resource {
  /** List the sessions of a member in this tenant, newest first. Needs the scope `users:read`. */
  list(userId: string, options?: RequestOptions): ApiPromise<Items<Api.Session>> {
    return this.api.request(get('listUserSessions', '/v1/users/{id}/sessions', { id: userId }), options);
  }

  /** End every session of a member in this tenant. Needs the scope `users:write`. */
  revokeAll(userId: string, options?: RequestOptions): ApiPromise<Api.EndedSessions> {
    return this.api.request(remove('revokeUserSessions', '/v1/users/{id}/sessions', { id: userId }), options);
  }

  /** End one session of a member. Needs the scope `users:write`. */
  revoke(userId: string, sessionId: string, options?: RequestOptions): ApiPromise<Api.EndedSessions> {
    const operation = remove('revokeUserSession', '/v1/users/{id}/sessions/{sessionId}', { id: userId, sessionId });
    return this.api.request(operation, options);
  }
}

/** Members of the tenant, their roles and sessions, and invitations. Scopes: `users:read`, `users:write`. */
export class UsersInvitations extends Resource {
  /**
   * List the invitations, newest first. Needs the scope `users:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.Invitation> {
    return this.api.list(page('listInvitations', '/v1/users/invitations', {}, params), options);
  }

  /**
   * Invite a user. Returns a token that is shown only once: give it to the user, who sends it with a password to
   * /v1/auth/invitations/accept within a week. A member can set a new password with it; inviting yourself, also with an
   * API key that you created, returns 409. Without `role`, it is the default role of the tenant. Answers 409 `conflict`
   * for a suspended member and for one with another role. Needs the scope `users:write`.
   */
  create(body: Api.InvitationInput, options?: RequestOptions): ApiPromise<Api.CreatedInvitation> {
    return this.api.request(post('inviteUser', '/v1/users/invitations', {}, body), options);
  }

  /**
   * Revoke a pending invitation. An accepted, revoked or expired invitation does not change. The caller needs every
   * scope of its role. Needs the scope `users:write`.
   */
  revoke(invitationId: string, options?: RequestOptions): ApiPromise<Api.Invitation> {
    return this.api.request(remove('revokeInvitation', '/v1/users/invitations/{id}', { id: invitationId }), options);
  }
}

/** The tenant of the caller and its settings. Scopes: `users:read`, `tenant:write`, `members:read`. */
export class TenantSettings extends Resource {
  /** Get the tenant and its settings. Needs the scope `users:read`. */
  retrieve(options?: RequestOptions): ApiPromise<Api.Tenant> {
    return this.api.request(get('getTenant', '/v1/tenant'), options);
  }

  /**
   * Change the settings of the tenant. Omitted fields keep their values; `sso` is replaced as a whole. Roles that
   * change, the default or that of a group, must have no scope that the caller lacks. Needs the scope `tenant:write`.
   */
  update(body: Api.TenantChange, options?: RequestOptions): ApiPromise<Api.Tenant> {
    return this.api.request(patch('editTenant', '/v1/tenant', {}, body), options);
  }

  /**
   * Get what waits for the caller. Every role may call it; each part of the answer needs the scope that it names, and
   * is null without. It is what the start page of the dashboard shows. Needs the scope `members:read`.
   */
  overview(options?: RequestOptions): ApiPromise<Api.Overview> {
    return this.api.request(get('getOverview', '/v1/overview'), options);
  }
}

/** Credentials of programs: create, rotate and revoke. Scopes: `keys:read`, `keys:write`. */
export class ApiKeys extends Resource {
  /**
   * List API keys, newest first. The keys of the tenant, and shared keys of other tenants that can act for it;
   * `tenantId` distinguishes them. Needs the scope `keys:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListApiKeysParams = {}, options?: ListOptions): PagePromise<Api.ApiKey> {
    return this.api.list(page('listApiKeys', '/v1/api-keys', {}, params), options);
  }

  /**
   * Create an API key; it is shown only once. A key has at most the rights of the caller: no scope that the caller
   * lacks, no tenant in which the caller cannot create keys. A tenant has at most 500 keys that are neither expired nor
   * revoked. Needs the scope `keys:write`.
   */
  create(body: Api.ApiKeyInput, options?: RequestOptions): ApiPromise<Api.CreatedApiKey> {
    return this.api.request(post('createApiKey', '/v1/api-keys', {}, body), options);
  }

  /** Get an API key. Needs the scope `keys:read`. */
  retrieve(keyId: string, options?: RequestOptions): ApiPromise<Api.ApiKey> {
    return this.api.request(get('getApiKey', '/v1/api-keys/{id}', { id: keyId }), options);
  }

  /**
   * Revoke an API key and its access tokens: their next requests fail. A shared key of another tenant keeps working
   * there and can no longer act for this one. Does nothing when the key was revoked before. Needs the scope
   * `keys:write`.
   */
  revoke(keyId: string, options?: RequestOptions): ApiPromise<Api.ApiKey> {
    return this.api.request(remove('revokeApiKey', '/v1/api-keys/{id}', { id: keyId }), options);
  }

  /**
   * Rotate an API key; the new key is shown only once. The new key has the name, scopes, environment and tenants of the
   * old one, and the same lifetime from now on. The old one expires after the overlap, but not later than before.
   * Answers 409 `conflict` for a key that was rotated, revoked or has expired, and 403 `forbidden` for one with a scope
   * that the caller lacks. Needs the scope `keys:write`.
   */
  rotate(keyId: string, body: Api.ApiKeyRotation = {}, options?: RequestOptions): ApiPromise<Api.CreatedApiKey> {
    return this.api.request(post('rotateApiKey', '/v1/api-keys/{id}/rotate', { id: keyId }, body), options);
  }
}

/** The credential of the identity provider. A tenant has one. Scopes: `keys:read`, `keys:write`. */
export class ScimTokens extends Resource {
  /**
   * Get the SCIM token of the tenant, without its value. Answers 404 if the tenant has none. Needs the scope
   * `keys:read`.
   */
  retrieve(options?: RequestOptions): ApiPromise<Api.ScimToken> {
    return this.api.request(get('getScimToken', '/v1/scim-token'), options);
  }

  /**
   * Create the SCIM token of the tenant; it is shown only once. Revokes the earlier token. A SCIM token can give any
   * role, so the caller needs every scope of an administrator. Needs the scope `keys:write`.
   */
  create(options?: RequestOptions): ApiPromise<Api.CreatedScimToken> {
    return this.api.request(post('createScimToken', '/v1/scim-token'), options);
  }

  /** Revoke the SCIM token of the tenant. Answers 404 if the tenant has none. Needs the scope `keys:write`. */
  revoke(options?: RequestOptions): ApiPromise<Api.ScimToken> {
    return this.api.request(remove('revokeScimToken', '/v1/scim-token'), options);
  }
}

/** Requests of persons about their data, with due dates and outcomes. Scopes: `dsr:write`, `dsr:read`. */
export class DataSubjectRequests extends Resource {
  /**
   * Open a data-subject request. It is due after `dsrDays` days of 24 hours, a setting of the tenant; later changes of
   * that setting do not move the due date. Emits `dsr.created`. Needs the scope `dsr:write`.
   */
  create(body: Api.DataSubjectRequestInput, options?: RequestOptions): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('createDsr', '/v1/dsr', {}, body), options);
  }

  /**
   * List data-subject requests, newest first. Needs the scope `dsr:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListDsrsParams = {}, options?: ListOptions): PagePromise<Api.DataSubjectRequest> {
    return this.api.list(page('listDsrs', '/v1/dsr', {}, params), options);
  }

  /** Get a data-subject request. Needs the scope `dsr:read`. */
  retrieve(dsrId: string, options?: RequestOptions): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(get('getDsr', '/v1/dsr/{id}', { id: dsrId }), options);
  }

  /**
   * Edit an open data-subject request: who answers it, notes, the check of the identity. Omitted fields keep their
   * values. `identityCheck` records that the caller checked the identity of the person now; the audit log keeps when,
   * but neither the method nor the notes. Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_already_completed`: The request of the data subject was completed, with another
   *   outcome or reason.
   */
  update(
    dsrId: string,
    body: Api.DataSubjectRequestChange,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(patch('editDsr', '/v1/dsr/{id}', { id: dsrId }, body), options);
  }

  /**
   * Extend the period of a data-subject request, once. Allowed while the period runs. The period triples, up to 90 days
   * after the receipt: 30 days become 90, and so do 45. Repeating the request with the same reason changes nothing.
   * Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_already_completed`: The request of the data subject was completed, with another
   *   outcome or reason. `dsr_extension_not_allowed`: The period was already extended, has passed, or is the longest.
   */
  extend(
    dsrId: string,
    body: Api.DataSubjectRequestExtension,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('extendDsr', '/v1/dsr/{id}/extend', { id: dsrId }, body), options);
  }

  /**
   * Complete a data-subject request. Emits `dsr.completed`. Repeating the request with the same outcome and reason
   * changes nothing and emits nothing. Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_already_completed`: The request of the data subject was completed, with another
   *   outcome or reason.
   */
  complete(
    dsrId: string,
    body: Api.DataSubjectRequestCompletion,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequest> {
    return this.api.request(post('completeDsr', '/v1/dsr/{id}/complete', { id: dsrId }, body), options);
  }

  /**
   * Create the token of a link that confirms the address of a request. For open requests that were made with the form.
   * Send the person `/privacy/confirm#token` of this server: only a person who reads the mail of the address can open
   * it and confirm. The token is shown only once and works once, within 14 days; earlier ones of the request end.
   * Answers 409 `conflict` if there is no address or it is confirmed. Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_already_completed`: The request of the data subject was completed, with another
   *   outcome or reason.
   */
  createConfirmationLink(dsrId: string, options?: RequestOptions): ApiPromise<Api.DataSubjectRequestConfirmationLink> {
    const operation = post('createDsrConfirmationLink', '/v1/dsr/{id}/confirmation-link', { id: dsrId });
    return this.api.request(operation, options);
  }

  /**
   * Erase the texts of a completed data-subject request. Clears the subject, the notes, the reasons and what was typed
   * into the form, also in the audit events, webhook events and stored responses about the request. Its type, dates and
   * outcome stay, and so do the consent records of the subject. Pending deliveries are canceled. Cannot be undone.
   * Emits `subject.erased` unless nothing was left to erase. Needs the scope `dsr:write`.
   * @throws {ConflictError} `dsr_open`: A request of the data subject is open; complete it first.
   */
  erase(dsrId: string, body: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    return this.api.request(post('eraseDsr', '/v1/dsr/{id}/erase', { id: dsrId }, body), options);
  }
}

/** Endpoints of the banner and the trust badge: no credentials, open to the pages of every site (CORS). */
export class PublicRequests extends Resource {
  /**
   * Make a data-subject request. Answers 404 unless the tenant has turned its form on (`dsrForm`). The answer never
   * says whether anything is known about the person. Pages of other sites cannot call it. At most 5 requests an hour
   * for each client address, 20 for each IPv6 site (/48), and 100 for each tenant, with as many again for addresses and
   * networks that have sent none. Emits `dsr.created`.
   */
  create(
    slug: string,
    body: Api.PublicDataSubjectRequestInput,
    options?: RequestOptions,
  ): ApiPromise<Api.PublicDataSubjectRequest> {
    const operation = post('createPublicDsr', '/v1/public/dsr/{slug}', { slug }, body);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }

  /**
   * Confirm the e-mail address of a data-subject request. With the token of the link that the tenant sent to it. It
   * works once.
   */
  confirm(
    body: Api.DataSubjectRequestConfirmationInput,
    options?: RequestOptions,
  ): ApiPromise<Api.DataSubjectRequestConfirmation> {
    const operation = post('confirmPublicDsr', '/v1/public/dsr-confirmations', {}, body);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }
}

/** Breach incidents with the 72-hour deadline for notifying the authority. Scopes: `breach:write`, `breach:read`. */
export class Breaches extends Resource {
  /**
   * Report a breach of personal data. The authority must be notified within 72 hours of the discovery (GDPR Article
   * 33(1)). Emits `breach.reported`. Needs the scope `breach:write`.
   */
  report(body: Api.BreachInput, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(post('reportBreach', '/v1/breach', {}, body), options);
  }

  /**
   * List breaches, newest first. Needs the scope `breach:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListBreachesParams = {}, options?: ListOptions): PagePromise<Api.Breach> {
    return this.api.list(page('listBreaches', '/v1/breach', {}, params), options);
  }

  /** Get a breach. Needs the scope `breach:read`. */
  retrieve(breachId: string, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(get('getBreach', '/v1/breach/{id}', { id: breachId }), options);
  }

  /**
   * Edit a breach: its status, its notifications, its details. Omitted fields keep their values. An open breach can
   * become contained or closed, a contained one closed, and a closed one can be reopened. `notificationReason` is
   * required to close a breach that the authority was not notified of, and if it was notified after the 72 hours. Emits
   * `breach.updated`; an edit that changes nothing emits nothing. Needs the scope `breach:write`.
   * @throws {ConflictError} `breach_erased`: The texts of the breach were erased: it stays closed.
   *   `breach_transition_not_allowed`: The incident cannot change from its status to the requested one.
   */
  update(breachId: string, body: Api.BreachChange, options?: RequestOptions): ApiPromise<Api.Breach> {
    return this.api.request(patch('editBreach', '/v1/breach/{id}', { id: breachId }, body), options);
  }

  /**
   * Erase the texts of a closed breach. Clears the title, the description, the categories of data and the reason, also
   * in the audit events and stored responses about the breach. Its severity, dates and the number of people stay. It
   * cannot be reopened. Cannot be undone. Emits `subject.erased` unless nothing was left to erase. Needs the scope
   * `breach:write`.
   * @throws {ConflictError} `breach_open`: The breach is not closed; close it first.
   */
  erase(breachId: string, body: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.Erasure> {
    return this.api.request(post('eraseBreach', '/v1/breach/{id}/erase', { id: breachId }, body), options);
  }
}

/** The public page that shows which frameworks the tenant has achieved. Scopes: `trust:read`, `trust:write`. */
export class Trust extends Resource {
  /** Get the trust center. Needs the scope `trust:read`. */
  retrieve(options?: RequestOptions): ApiPromise<Api.TrustCenter> {
    return this.api.request(get('getTrustCenter', '/v1/trust'), options);
  }

  /**
   * Replace the trust center; publish or unpublish it. Omitted fields become empty, and a draft ends. All texts are
   * plain text: markup in them is shown as text. If nothing changes, nothing is written. Send the `ETag` of the trust
   * center as `If-Match` to replace only what you have seen. The limits of all fields together exceed the maximum body
   * of 64 KiB. Needs the scope `trust:write`.
   * @throws {ConflictError} `trust_center_changed`: The trust center is not the one that If-Match names.
   */
  replace(body: Api.TrustCenterInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...put('replaceTrustCenter', '/v1/trust', {}, body), ifMatch }, options);
  }

  /**
   * Save a draft of the trust center. What is public stays as it is. Omitted fields become empty. To publish the draft,
   * replace the trust center with its content. Send the `ETag` of the trust center as `If-Match` to replace only what
   * you have seen. Needs the scope `trust:write`.
   * @throws {ConflictError} `trust_center_changed`: The trust center is not the one that If-Match names.
   */
  saveDraft(body: Api.TrustDraftInput, { ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...put('saveTrustDraft', '/v1/trust/draft', {}, body), ifMatch }, options);
  }

  /**
   * Discard the draft of the trust center. Answers the trust center without it, also if there was none. Needs the scope
   * `trust:write`.
   * @throws {ConflictError} `trust_center_changed`: The trust center is not the one that If-Match names.
   */
  discardDraft({ ifMatch, ...options }: ChangeOptions = {}): ApiPromise<Api.TrustCenter> {
    return this.api.request({ ...remove('discardTrustDraft', '/v1/trust/draft'), ifMatch }, options);
  }
}

/** Endpoints of the banner and the trust badge: no credentials, open to the pages of every site (CORS). */
export class PublicTrust extends Resource {
  /**
   * Get the data of the trust badge. Answers 404 unless the trust center is published. With `language` it has the words
   * of the badge in that language, or the nearest that there is: the last resort is English. Send the `ETag` back as
   * `If-None-Match` to get a 304 while the data has not changed.
   */
  retrieveWidget(
    slug: string,
    params: Api.GetPublicTrustWidgetParams = {},
    options?: RequestOptions,
  ): ApiPromise<Api.TrustWidget> {
    const operation = get('getPublicTrustWidget', '/v1/public/trust/{slug}/widget', { slug }, params);
    return this.api.request({ ...operation, credential: 'none' }, options);
  }
}

/**
 * Endpoints that receive signed events, their deliveries, attempts and dead letters. Scopes: `webhooks:write`,
 * `webhooks:read`.
 */
export abstract class WebhooksMethods extends Resource {
  /**
   * Create a webhook; its secret is shown once. At most 50 for a tenant, each with a different address. Needs the scope
   * `webhooks:write`.
   */
  create(body: Api.WebhookInput, options?: RequestOptions): ApiPromise<Api.WebhookWithSecret> {
    return this.api.request(post('createWebhook', '/v1/webhooks', {}, body), options);
  }

  /**
   * List webhooks, newest first. Needs the scope `webhooks:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListWebhooksParams = {}, options?: ListOptions): PagePromise<Api.Webhook> {
    return this.api.list(page('listWebhooks', '/v1/webhooks', {}, params), options);
  }

  /** Get a webhook. Needs the scope `webhooks:read`. */
  retrieve(webhookId: string, options?: RequestOptions): ApiPromise<Api.Webhook> {
    return this.api.request(get('getWebhook', '/v1/webhooks/{id}', { id: webhookId }), options);
  }

  /**
   * Edit, pause or enable a webhook. What is left out stays as it is. While it is paused, what happens waits, and is
   * sent as soon as it is enabled. With another address, or in use again, its failures so far count no more. What
   * became a dead letter while it was disabled stays one until it is sent again. Needs the scope `webhooks:write`.
   */
  update(webhookId: string, body: Api.WebhookChange, options?: RequestOptions): ApiPromise<Api.Webhook> {
    return this.api.request(patch('editWebhook', '/v1/webhooks/{id}', { id: webhookId }, body), options);
  }

  /**
   * Delete a webhook. What still waits for it is canceled. What was sent stays in the list of deliveries. Needs the
   * scope `webhooks:write`.
   */
  delete(webhookId: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteWebhook', '/v1/webhooks/{id}', { id: webhookId });
    return this.api.request({ ...operation, answer: 'none' }, options);
  }

  /**
   * Count the deliveries to a webhook by day or hour, newest first. In UTC, up to now. A day or an hour in which
   * nothing was sent is absent. A failed attempt that makes a dead letter counts as both. Needs the scope
   * `webhooks:read`.
   */
  statistics(
    webhookId: string,
    params: Api.GetWebhookStatisticsParams = {},
    options?: RequestOptions,
  ): ApiPromise<Items<Api.WebhookPeriod>> {
    const operation = get('getWebhookStatistics', '/v1/webhooks/{id}/statistics', { id: webhookId }, params);
    return this.api.request(operation, options);
  }

  /**
   * Give a webhook a new secret; it is shown once. During the overlap each delivery has one more signature, by the old
   * secret. Those of earlier rotations sign along to their own end, at most ten in all: of more, the oldest ends. Needs
   * the scope `webhooks:write`.
   */
  rotateSecret(
    webhookId: string,
    body: Api.WebhookSecretRotation = {},
    options?: RequestOptions,
  ): ApiPromise<Api.WebhookWithSecret> {
    const operation = post('rotateWebhookSecret', '/v1/webhooks/{id}/rotate-secret', { id: webhookId }, body);
    return this.api.request(operation, options);
  }

  /**
   * Send a test event to a webhook. It gets a `webhook.test` event, whatever types of events it gets otherwise, and no
   * other webhook does. The answer is the delivery, which is made right afterwards: look at it again to see how it
   * went. Needs the scope `webhooks:write`.
   * @throws {ConflictError} `webhook_not_enabled`: The webhook is paused or disabled: nothing is sent to it.
   */
  test(webhookId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    return this.api.request(post('testWebhook', '/v1/webhooks/{id}/test', { id: webhookId }), options);
  }
}

/**
 * Endpoints that receive signed events, their deliveries, attempts and dead letters. Scopes: `webhooks:read`,
 * `webhooks:write`.
 */
export class WebhooksDeliveries extends Resource {
  /**
   * List deliveries, newest first. With `status=dead` it is the dead-letter queue. The event is only in the single
   * delivery. Where `eventType` or `reason` fit little, a page may have fewer items than `limit`, or none, although
   * there are more: go on until `nextCursor` is null. Deliveries are forgotten after 30 days, or the `webhookDays` of
   * the tenant. Needs the scope `webhooks:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListWebhookDeliveriesParams = {}, options?: ListOptions): PagePromise<Api.WebhookDelivery> {
    return this.api.list(page('listWebhookDeliveries', '/v1/webhooks/deliveries', {}, params), options);
  }

  /**
   * Get a delivery with its event and every attempt. What receivers answered is given as it came: treat it as text of a
   * stranger. Needs the scope `webhooks:read`.
   */
  retrieve(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDeliveryDetail> {
    return this.api.request(get('getWebhookDelivery', '/v1/webhooks/deliveries/{id}', { id: deliveryId }), options);
  }

  /**
   * Send a delivery again. Makes a new delivery of the same event, with a new id and another 24 hours, whether the
   * earlier one was delivered or not; a dead letter becomes `redelivered`. One that still waits (`pending`) is due now
   * instead, as the same delivery with its own 24 hours. To a paused webhook it is sent when that is enabled again.
   * Each request makes another delivery: use an Idempotency-Key to repeat one safely. Needs the scope `webhooks:write`.
   * @throws {ConflictError} `webhook_delivery_pending`: An attempt at the delivery is in progress. `webhook_deleted`:
   *   The webhook was deleted: nothing can be sent to it again. `webhook_not_enabled`: The webhook is paused or
   *   disabled: nothing is sent to it.
   */
  redeliver(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    const operation = post('redeliverWebhookDelivery', '/v1/webhooks/deliveries/{id}/redeliver', { id: deliveryId });
    return this.api.request(operation, options);
  }

  /**
   * Cancel a pending delivery. Nothing more is sent. An attempt that is under way is not aborted: try again when it has
   * ended. Answers 409 `conflict` for a delivery that has ended. Needs the scope `webhooks:write`.
   * @throws {ConflictError} `webhook_delivery_pending`: An attempt at the delivery is in progress.
   */
  cancel(deliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookDelivery> {
    const operation = post('cancelWebhookDelivery', '/v1/webhooks/deliveries/{id}/cancel', { id: deliveryId });
    return this.api.request(operation, options);
  }
}

/**
 * Endpoints that receive signed events, their deliveries, attempts and dead letters. Scopes: `webhooks:write`,
 * `webhooks:read`.
 */
export class WebhooksRedeliveries extends Resource {
  /**
   * Send many deliveries again. All dead letters of a webhook (`webhookId`), those of a span of time (`from`, `to`), or
   * both; with `status=delivered` what was delivered instead. The order runs in the background and reports its
   * progress. Each redelivery is a new delivery with its own id and 24 hours. Disabled webhooks are skipped. A tenant
   * has one order at a time. Needs the scope `webhooks:write`.
   * @throws {ConflictError} `webhook_deleted`: The webhook was deleted: nothing can be sent to it again.
   *   `webhook_not_enabled`: The webhook is paused or disabled: nothing is sent to it. `webhook_redelivery_running`:
   *   Another redelivery order is in progress.
   */
  create(body: Api.WebhookRedeliveryInput, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    return this.api.request(post('redeliverWebhookDeliveries', '/v1/webhooks/redeliver', {}, body), options);
  }

  /**
   * Count what an order would send again. Takes the fields of an order and does nothing. Needs the scope
   * `webhooks:read`.
   * @throws {ConflictError} `webhook_deleted`: The webhook was deleted: nothing can be sent to it again.
   *   `webhook_not_enabled`: The webhook is paused or disabled: nothing is sent to it.
   */
  count(params: Api.CountWebhookRedeliveryParams, options?: RequestOptions): ApiPromise<Api.WebhookRedeliveryCount> {
    return this.api.request(get('countWebhookRedelivery', '/v1/webhooks/redeliver', {}, params), options);
  }

  /**
   * List orders to send deliveries again, newest first. Needs the scope `webhooks:read`.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.WebhookRedelivery> {
    return this.api.list(page('listWebhookRedeliveries', '/v1/webhooks/redeliveries', {}, params), options);
  }

  /** Get an order to send deliveries again. Needs the scope `webhooks:read`. */
  retrieve(redeliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    const operation = get('getWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId });
    return this.api.request(operation, options);
  }

  /**
   * Cancel an order to send deliveries again. What it has queued is sent all the same. One that has ended stays as it
   * is. Needs the scope `webhooks:write`.
   */
  cancel(redeliveryId: string, options?: RequestOptions): ApiPromise<Api.WebhookRedelivery> {
    const operation = remove('cancelWebhookRedelivery', '/v1/webhooks/redeliveries/{id}', { id: redeliveryId });
    return this.api.request(operation, options);
  }
}

/** Provisioning of users and role groups by an identity provider (SCIM 2.0, RFC 7644). */
export abstract class ScimMethods extends Resource {
  /**
   * Get the service provider configuration. Needs no token.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  serviceProviderConfig(options?: RequestOptions): ApiPromise<Api.ScimServiceProviderConfig> {
    const operation = get('getScimServiceProviderConfig', '/scim/v2/ServiceProviderConfig');
    return this.api.request({ ...operation, ...scim, credential: 'none' }, options);
  }

  /**
   * List the schemas. The schemas of users and groups with the attributes that this server supports (RFC 7643 section
   * 7).
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  listSchemas(options?: ListOptions): PagePromise<Api.ScimSchema> {
    return this.api.list({ ...get('listScimSchemas', '/scim/v2/Schemas'), ...scim, page: 'scim' }, options);
  }

  /**
   * Get a schema by its URN. RFC 7643 section 7.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  retrieveSchema(schemaId: string, options?: RequestOptions): ApiPromise<Api.ScimSchema> {
    return this.api.request({ ...get('getScimSchema', '/scim/v2/Schemas/{id}', { id: schemaId }), ...scim }, options);
  }

  /**
   * List the resource types. Users and groups, with their endpoints and schemas (RFC 7643 section 6).
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  listResourceTypes(options?: ListOptions): PagePromise<Api.ScimResourceType> {
    return this.api.list({ ...get('listScimResourceTypes', '/scim/v2/ResourceTypes'), ...scim, page: 'scim' }, options);
  }

  /**
   * Get a resource type. RFC 7643 section 6.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  retrieveResourceType(typeId: string, options?: RequestOptions): ApiPromise<Api.ScimResourceType> {
    const operation = get('getScimResourceType', '/scim/v2/ResourceTypes/{id}', { id: typeId });
    return this.api.request({ ...operation, ...scim }, options);
  }
}

/** Provisioning of users and role groups by an identity provider (SCIM 2.0, RFC 7644). */
export class ScimUsers extends Resource {
  /**
   * List users, ordered by id. At most 100 on a page. The only filters are `eq` on `userName` and on `externalId`.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidFilter`: SCIM: the filter is
   *   not a single `eq` on an attribute that can be filtered.
   */
  list(
    params: Api.ListScimUsersParams & Pick<PageParams, 'cursor'> = {},
    options?: ListOptions,
  ): PagePromise<Api.ScimUser> {
    return this.api.list({ ...get('listScimUsers', '/scim/v2/Users', {}, params), ...scim, page: 'scim' }, options);
  }

  /**
   * Provision a user. A former member keeps the same id. The user can sign in after accepting an invitation.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message.
   * @throws {ConflictError} `uniqueness`: SCIM: the user is already a member.
   */
  create(
    body: Omit<Api.ScimUserInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const operation = post(
      'createScimUser',
      '/scim/v2/Users',
      {},
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...body },
    );
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Get a user. Choose attributes with `attributes` or `excludedAttributes`.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  retrieve(userId: string, params: ScimProjection = {}, options?: RequestOptions): ApiPromise<Api.ScimUser> {
    return this.api.request({ ...get('getScimUser', '/scim/v2/Users/{id}', { id: userId }, params), ...scim }, options);
  }

  /**
   * Suspend or reactivate a user, or change the role. Accepts `replace` of `active` or `roles`. A suspended user cannot
   * sign in, and their sessions end immediately. With the setting `scimCompatibility: "extended"` it also accepts a
   * `replace` without path, and skips unsupported operations if `active` is replaced too; `active: true` then does not
   * revert a removal from a role group.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message. `invalidPath`: SCIM: the operation or path of a PATCH is
   *   not supported. `mutability`: SCIM: the attribute cannot be changed.
   */
  patch(
    userId: string,
    operations: readonly Api.ScimPatchOperation[],
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const operation = patch(
      'patchScimUser',
      '/scim/v2/Users/{id}',
      { id: userId },
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
    );
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Replace a user, if the tenant allows it. Needs the setting `scimCompatibility: "extended"`; else it returns 501.
   * Sets active, roles, name and externalId; omitted attributes keep their values. `active: true` reverts `active:
   * false`, but not a removal from a role group.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message. `mutability`: SCIM: the attribute cannot be changed.
   */
  replace(
    userId: string,
    body: Omit<Api.ScimUserInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimUser> {
    const operation = put(
      'replaceScimUser',
      '/scim/v2/Users/{id}',
      { id: userId },
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...body },
    );
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Remove a user from the tenant. The person and the history stay. Like every change, it returns 403 for an
   * administrator of the server (`platform_admin`).
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  delete(userId: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteScimUser', '/scim/v2/Users/{id}', { id: userId });
    return this.api.request({ ...operation, ...scim, answer: 'none' }, options);
  }
}

/** Provisioning of users and role groups by an identity provider (SCIM 2.0, RFC 7644). */
export class ScimGroups extends Resource {
  /**
   * List the role groups. One group for each role that can be assigned.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidFilter`: SCIM: the filter is
   *   not a single `eq` on an attribute that can be filtered.
   */
  list(
    params: Api.ListScimGroupsParams & Pick<PageParams, 'cursor'> = {},
    options?: ListOptions,
  ): PagePromise<Api.ScimGroup> {
    return this.api.list({ ...get('listScimGroups', '/scim/v2/Groups', {}, params), ...scim, page: 'scim' }, options);
  }

  /**
   * Find a role group by its name. Creates nothing, because the roles are fixed. Adds the given members to the group.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message. `mutability`: SCIM: the attribute cannot be changed.
   */
  create(
    body: Omit<Api.ScimGroupInput, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const operation = post(
      'createScimGroup',
      '/scim/v2/Groups',
      {},
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], ...body },
    );
    return this.api.request({ ...operation, ...scim, query: projection, idempotent: true }, options);
  }

  /**
   * Get a role group. By the role, or by a name that the tenant mapped to it.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  retrieve(role: string, params: ScimProjection = {}, options?: RequestOptions): ApiPromise<Api.ScimGroup> {
    return this.api.request({ ...get('getScimGroup', '/scim/v2/Groups/{role}', { role }, params), ...scim }, options);
  }

  /**
   * Replace the members of a role group. Listed users get the role; other members of the group are suspended.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message. `mutability`: SCIM: the attribute cannot be changed.
   */
  replace(
    role: string,
    body: Omit<Api.ScimGroupReplacement, 'schemas'>,
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const operation = put(
      'replaceScimGroup',
      '/scim/v2/Groups/{role}',
      { role },
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], ...body },
    );
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Add, remove or replace members of a role group. Added users get the role; removed members are suspended. To move a
   * member, add them to the other group.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid. `invalidSyntax`: SCIM: the body is
   *   malformed or does not match the schema of the message. `invalidFilter`: SCIM: the filter is not a single `eq` on
   *   an attribute that can be filtered. `invalidPath`: SCIM: the operation or path of a PATCH is not supported.
   *   `mutability`: SCIM: the attribute cannot be changed. `noTarget`: SCIM: a remove needs a path.
   */
  patch(
    role: string,
    operations: readonly Api.ScimPatchOperation[],
    projection: ScimProjection = {},
    options?: RequestOptions,
  ): ApiPromise<Api.ScimGroup> {
    const operation = patch(
      'patchScimGroup',
      '/scim/v2/Groups/{role}',
      { role },
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
    );
    return this.api.request({ ...operation, ...scim, query: projection }, options);
  }

  /**
   * Remove all members of a role group. Suspends all members of the group. The role and the users stay.
   * @throws {BadRequestError} `invalidValue`: SCIM: a value is missing or invalid.
   */
  clear(role: string, options?: RequestOptions): ApiPromise<void> {
    const operation = remove('deleteScimGroup', '/scim/v2/Groups/{role}', { role });
    return this.api.request({ ...operation, ...scim, answer: 'none' }, options);
  }
}

/** The tamper-evident log of everything that was changed, by whom and when. Scopes: `audit:read`. */
export class Audit extends Resource {
  /**
   * List audit events, newest first. With two or more of `module`, `actor`, `action`, `actorId` and `targetId`, a page
   * reads at most 2,000 events: it may have fewer items than `limit`, or none, and still a `nextCursor`. Needs the
   * scope `audit:read`.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`: The cursor is invalid, or belongs to other filters.
   */
  list(params: Api.ListAuditEventsParams = {}, options?: ListOptions): PagePromise<Api.AuditEvent> {
    return this.api.list(page('listAuditEvents', '/v1/audit', {}, params), options);
  }

  /** Get one audit event with its details. Needs the scope `audit:read`. */
  retrieve(eventId: string, options?: RequestOptions): ApiPromise<Api.AuditEventDetail> {
    return this.api.request(get('getAuditEvent', '/v1/audit/{id}', { id: eventId }), options);
  }
}
