export type { Gpp } from './gpp-api.ts';
export type { GppOptions } from './gpp-settings.ts';
export { provideGpp } from './provide-gpp.ts';
