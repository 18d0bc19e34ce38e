import { z } from 'zod';
import type { AssessedControl } from './assessed-control.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { Control, Count } from './control.ts';
import { isApplicable } from './status.ts';

/** spec.md "Control list payload". */
export const ControlList = z
  .strictObject({
    summary: z
      .strictObject({
        catalogControls: Count.meta({ description: 'Controls in the catalogue.' }),
        tenantControls: Count.meta({ description: 'Controls of the tenant: the items.' }),
        implemented: Count.meta({ description: 'Items that are implemented or accepted.' }),
        needsEvidence: Count.meta({ description: 'Items that apply and whose evidence is not current.' }),
        failing: Count.meta({ description: 'Items that apply and whose latest result is fail.' }),
        frameworks: Count.meta({ description: 'Adopted frameworks.' }),
      })
      .meta({ id: 'ControlSummary' }),
    items: z.array(Control),
  })
  .meta({ id: 'ControlList' });
export type ControlList = z.output<typeof ControlList>;

/** The controls of a tenant that apply to it. */
export function listApplicable(controls: readonly AssessedControl[]): readonly AssessedControl[] {
  return controls.filter(({ control }) => isApplicable(control.status));
}

/** Counts what the control list tells above its items. */
export function summarizeControls(controls: readonly AssessedControl[], frameworks: number): ControlList {
  const applicable = listApplicable(controls);
  const count = (from: readonly AssessedControl[], fits: (control: Control) => boolean) =>
    from.filter(({ control }) => fits(control)).length;
  return {
    summary: {
      catalogControls: catalogue.controls.length,
      tenantControls: controls.length,
      implemented: count(controls, ({ status }) => status === 'implemented' || status === 'accepted'),
      needsEvidence: count(applicable, ({ evidenceFreshness }) => evidenceFreshness !== 'current'),
      failing: count(applicable, ({ latestResultStatus }) => latestResultStatus === 'fail'),
      frameworks,
    },
    items: controls.map(({ control }) => control),
  };
}
