/**
 * The terms that receipts may use, by namespace. Those of DPV are copied from the CSV files of DPV 2.3
 * (https://github.com/w3c/dpv, folder 2.3: dpv/dpv.csv, pd/pd.csv, loc/loc.csv, legal/eu/gdpr/eu-gdpr.csv), the others from
 * the documents named.
 */
const names = {
  'https://w3id.org/dpv#': `Consent ConsentGiven ConsentNotice ConsentReceipt ConsentRecord ConsentRefused ConsentWithdrawn DataController
  DataProcessor DataSubject DataSubjectRight ExpressedConsent PersonalData PrivacyNotice Process Purpose
  RenewedConsentGiven SpecialCategoryPersonalData StorageDuration StorageLocation TemporalDuration ThirdParty
  UntilEventDuration WithdrawConsent hasConsentControl hasConsentStatus hasDataController hasDataSubject
  hasDuration hasEntity hasIdentifier hasIndicationMethod hasJurisdiction hasLegalBasis hasLocation hasName
  hasNotice hasPersonalData hasProcess hasPurpose hasRecipient hasRecordOfActivity hasRight hasStorageCondition
  isExercisedAt isIndicatedAtTime isIndicatedBy`,
  'https://w3id.org/dpv/pd#': `Age Biometric BrowserFingerprint BrowsingBehaviour BrowsingReferral Communication Country DeviceBased
  EmailAddress EmploymentHistory EthnicOrigin Financial Gender Genetic Health IPAddress Interest Language
  LinkClicked Location Name PhilosophicalBelief PhysicalAddress Picture PoliticalOpinion Preference Profile
  Purchase ReligiousBelief ServiceConsumptionBehaviour Sexual SocialMedia TelephoneNumber TradeUnionMembership
  UID UserAgent Username`,
  'https://w3id.org/dpv/loc#': `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET EU FI FJ FK FM
  FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT
  JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN
  MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT
  PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL
  TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`,
  'https://w3id.org/dpv/legal/eu/gdpr#': `A7-3 A15 A16 A17 A18 A20 A21 A22 A77`,
  // https://w3id.org/dpv/guides/consent-27560, section 2 and example 46.
  'https://w3id.org/dpv/schema/dpv-27560#': `receipt record`,
  // https://www.dublincore.org/specifications/dublin-core/dcmi-terms/
  'http://purl.org/dc/terms/': `ProvenanceStatement conformsTo created date description hasFormat identifier language provenance publisher source title`,
  // https://schema.org/ContactPoint, /PostalAddress, /version, /position
  'https://schema.org/': `ContactPoint PostalAddress contactPoint email position streetAddress version`,
  // https://www.w3.org/TR/skos-reference/
  'http://www.w3.org/2004/02/skos/core#': `broader`,
  // https://spdx.org/rdf/terms/, which DCAT 3 uses for checksums.
  'http://spdx.org/rdf/terms#': `Checksum algorithm checksum checksumAlgorithm_sha256 checksumValue`,
  // https://www.w3.org/TR/rdf12-schema/#ch_value
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': `value`,
  // https://www.w3.org/TR/xmlschema11-2/
  'http://www.w3.org/2001/XMLSchema#': `dateTime duration hexBinary`,
};

/** The addresses of all terms. */
export const knownTerms: ReadonlySet<string> = new Set(
  Object.entries(names).flatMap(([namespace, terms]) => terms.split(/\s+/).map((term) => `${namespace}${term}`)),
);

/** The codes of countries and of the European Union. */
export const territories: readonly string[] = names['https://w3id.org/dpv/loc#'].split(/\s+/);
