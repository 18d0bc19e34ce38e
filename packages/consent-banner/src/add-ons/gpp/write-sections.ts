import type { Purposes } from '../../decision/stored-decision.ts';
import { type WrittenSection, writeGpc, writeSubSection } from './encode.ts';
import type { GppSettings } from './gpp-settings.ts';
import { chooseField, describeRights } from './opt-outs.ts';

/**
 * The sections that the site wants, for what is granted; nothing granted means opted out of everything.
 * @param purposes what the visitor could refuse, and whether it is granted.
 * @param hasGpc whether the browser sends Global Privacy Control.
 */
export function writeSections(
  { forms, mapping, notApplicable, hasChildren, mspa }: GppSettings,
  purposes: Purposes,
  hasGpc: boolean,
): readonly WrittenSection[] {
  const states = describeRights(mapping, notApplicable, purposes);
  return forms.map(([name, form]) => {
    const context = { version: form.version, states, hasChildren, mspa };
    const written = [writeSubSection(form.core, (field) => chooseField(field, context))];
    if (form.hasGpc) written.push(writeGpc(hasGpc));
    return {
      id: form.id,
      name,
      subSections: written.map(([values]) => values),
      text: written.map(([, text]) => text).join('.'),
    };
  });
}
