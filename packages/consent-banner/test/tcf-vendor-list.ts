/** A vendor list of the IAB's format 3 with invented vendors and texts. */
export function createVendorList(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    gvlSpecificationVersion: 3,
    vendorListVersion: 42,
    tcfPolicyVersion: 5,
    lastUpdated: '2026-01-01T00:00:00Z',
    purposes: createTerms('Purpose', 11),
    specialPurposes: createTerms('Special purpose', 3),
    features: createTerms('Feature', 3),
    specialFeatures: createTerms('Special feature', 2),
    dataCategories: createTerms('Category', 11),
    stacks: {},
    vendors: Object.fromEntries(
      [
        createVendor(1, 'Acorn Ads', { purposes: [1, 2, 3, 4], legIntPurposes: [7], specialPurposes: [1] }),
        createVendor(2, 'Birch Metrics', { purposes: [1, 8], legIntPurposes: [7, 9], features: [2] }),
        createVendor(3, 'Cedar Measurement', { purposes: [], legIntPurposes: [7, 10], cookieMaxAgeSeconds: 0 }),
        createVendor(4, 'Dune Delivery', { purposes: [], specialPurposes: [1, 2], usesCookies: false }),
        createVendor(5, 'Elm Geo', { purposes: [1, 2], specialFeatures: [1] }),
        { ...createVendor(6, 'Former Partner', { purposes: [1] }), deletedDate: '2025-01-01T00:00:00Z' },
      ].map((vendor) => [String(vendor.id), vendor]),
    ),
    ...changes,
  };
}

export function createVendor(
  id: number,
  name: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> & { readonly id: number } {
  return {
    id,
    name,
    purposes: [1],
    legIntPurposes: [],
    flexiblePurposes: [],
    specialPurposes: [],
    features: [],
    specialFeatures: [],
    dataDeclaration: [1, 2],
    dataRetention: { stdRetention: 90, purposes: { 1: 30 }, specialPurposes: { 1: 365 } },
    urls: [
      {
        langId: 'en',
        privacy: `https://vendor-${id}.example/privacy`,
        legIntClaim: `https://vendor-${id}.example/interest`,
      },
    ],
    usesCookies: true,
    cookieMaxAgeSeconds: 7 * 86_400,
    cookieRefresh: true,
    usesNonCookieAccess: true,
    deviceStorageDisclosureUrl: `https://vendor-${id}.example/storage.json`,
    ...changes,
  };
}

function createTerms(name: string, count: number): Record<string, unknown> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  return Object.fromEntries(
    ids.map((id) => [
      String(id),
      { id, name: `${name} ${id}`, description: `What ${name} ${id} is about.`, illustrations: [`An example of it.`] },
    ]),
  );
}
