import { attempt } from '../../stub/attempt.ts';
import type { HeldForm } from './held-form.ts';
import { listAddressNames } from './tag-addresses.ts';

/** The attributes that make a tag load something. */
export const WATCHED = /^(?:src|srcset|imagesrcset|href|xlink:href|poster|type|rel)$/i;

/** Looks at an attribute that is being set. @returns whether the browser is not to have it. What goes wrong here goes wrong there, too. */
export function takeAttribute(form: HeldForm, tag: unknown, name: string, value: unknown): boolean {
  if (!(tag instanceof Element)) return false;
  const isTaken = attempt(() => {
    if (name === 'type') return form.takeType(tag, String(value));
    if (name === 'rel') form.takeRelation(tag, String(value));
    return listAddressNames(tag).includes(name) && form.take(tag, name, String(value));
  });
  return isTaken ?? false;
}
