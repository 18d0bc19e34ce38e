/** How the index is made, which whoever loads it must know. */
export const searchOptions = {
  fields: ['title', 'words', 'text'],
  storeFields: ['page', 'place', 'title', 'excerpt'],
  // Names of the API are found by their parts: captureConsentRecord by "consent record".
  tokenize: (text: string) => text.split(/[^\p{L}\p{N}_]+|(?<=[a-z])(?=[A-Z])|_/u).filter((word) => word.length > 1),
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, words: 2 }, combineWith: 'AND' as const },
};
