/** Ranks the guides above the schemas, which repeat the same words. */
function boostDocument(_id: unknown, _term: string, stored?: Readonly<Record<string, unknown>>): number {
  return String(stored?.place).startsWith('reference/schemas/') ? 0.7 : 1;
}

/** Words that are in nearly every part, and so are no help; `at`, `by`, `from` and `to` are names of the API. */
const grammar: ReadonlySet<string> = new Set(
  (
    'an and are as be can does for has have how in is it its no not of on one only or so than that the their them then ' +
    'there they this was what when where which who whose with you your'
  ).split(' '),
);

/** The options of the index. Code that loads it needs the same. */
export const searchOptions = {
  fields: ['title', 'words', 'text', 'code'],
  storeFields: ['page', 'place', 'title', 'excerpt'],
  // Names of the API are found by their parts: captureConsentRecord by "consent record".
  tokenize: (text: string) => text.split(/[^\p{L}\p{N}_]+|(?<=[a-z])(?=[A-Z])|_/u).filter((word) => word.length > 1),
  processTerm: (word: string) => {
    const term = word.toLowerCase();
    return grammar.has(term) ? null : term;
  },
  searchOptions: {
    prefix: true,
    fuzzy: 0.15,
    boost: { title: 4, words: 2, code: 0.5 },
    combineWith: 'AND' as const,
    boostDocument,
  },
};
