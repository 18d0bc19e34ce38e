/** The attributes of the element, which are also its properties. */
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
