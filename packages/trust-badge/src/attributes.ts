/** The attributes of the element, which are its properties too. */
export const attributes = [
  'tenant',
  'api-base',
  'variant',
  'theme',
  'accent',
  'radius',
  'size',
  'position',
  'show-frameworks',
  'show-updated',
  'show-powered-by',
  'locale',
  'trust-url',
] as const;
