import { type Based, basisIn } from './basis.ts';

/** Whether no purpose needs consent in a region: then nothing is asked for, and visitors can object. */
export function isOptOut(purposes: readonly Based[], region: string | null): boolean {
  return region !== null && purposes.every((purpose) => basisIn(purpose, region) !== 'consent');
}
