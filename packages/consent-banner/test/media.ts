import { emulateMedia, executeServerCommand } from '@web/test-runner-commands';

/** Turns the system's forced colors on or off for this page (`emulateMedia` cannot, in this launcher). */
export async function emulateForcedColors(isActive: boolean): Promise<void> {
  await executeServerCommand('emulate-forced-colors', isActive ? 'active' : 'none');
}

/** The next test may get the same browser page. */
export async function restoreMedia(): Promise<void> {
  await emulateForcedColors(false);
  await emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
}
