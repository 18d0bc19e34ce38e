import { ConsentNotices } from './consent-notices.ts';
import { ConsentSubjects } from './consent-subjects.ts';
import { ConsentMethods, ConsentRecords } from './methods.ts';

/** Consent: the notices, the ledger of records given against them, and the short form for one purpose. */
export class Consent extends ConsentMethods {
  /** The notices that visitors decide on. Scopes: `consent:read`, `consent:write`. */
  readonly notices = new ConsentNotices(this.api);
  /** The consent ledger. Scopes: `consent:read`, `consent:write`. */
  readonly records = new ConsentRecords(this.api);
  /** The people whose consent is recorded. Scopes: `consent:read`, `dsr:write` to erase. */
  readonly subjects = new ConsentSubjects(this.api);
}
