export { type SignalOptions, sendConsentSignals } from './consent-signals.ts';
export type { VendorName } from './vendors.ts';
