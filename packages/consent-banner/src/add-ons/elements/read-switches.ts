import type { ConsentSnapshot, Notice, Purpose, Purposes } from '../../headless.ts';
import { findAround, findRole, KEY } from './roles.ts';

/** Whether the visitor wants a purpose. */
export type IsOn = (purpose: Purpose) => boolean;

/** Only what the visitor turned on, and sees on in that layer, is granted: what a script of the page turned is not. */
export function readSwitches(layer: HTMLElement, { purposes }: Notice, isOn: IsOn): Purposes {
  const switches = findRole<HTMLInputElement>(layer, 'purpose-switch');
  return Object.fromEntries(
    purposes.map((purpose) => {
      const own = switches.filter((one) => findAround(one, `[${KEY}]`)?.getAttribute(KEY) === purpose.key);
      return [purpose.key, isOn(purpose) && own.length > 0 && own.every(({ checked }) => checked)];
    }),
  );
}

export interface GrantedBefore {
  readonly notice: Notice;
  readonly snapshot: Pick<ConsentSnapshot, 'state' | 'isAsking' | 'decidedVersion'>;
}

/** Whether a choice grants anything that the decision in force does not grant of the same notice. */
export function isMore(purposes: Purposes, { notice, snapshot }: GrantedBefore): boolean {
  const { state, isAsking, decidedVersion } = snapshot;
  const before = isAsking || decidedVersion !== notice.version ? undefined : state?.purposes;
  return notice.purposes.some(({ key, required }) => !required && purposes[key] === true && before?.[key] !== true);
}
