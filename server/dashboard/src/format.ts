import { html, type TemplateResult } from 'lit';
import type { User } from '../../../packages/node-sdk/src/types/api.ts';
import { pageWords } from './preferences.ts';

/** A time in the zone of the user, with the stored UTC value as its title. */
export function viewTime(time: string | null): TemplateResult | string {
  if (time === null) return '–';
  const shown = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
  return html`<time datetime=${time} title=${time}>${shown.format(new Date(time))}</time>`;
}

/** A count with the separators of the language. */
export function formatCount(count: number): string {
  return count.toLocaleString(document.documentElement.lang);
}

/** The name of a value of an enumeration in the language of the user; the value itself where there is none. */
export function nameValue(value: string): string {
  const { values } = pageWords;
  return Object.hasOwn(values, value) ? values[value as keyof typeof values] : value;
}

/** The choices of a filter or a field: each value with its name. */
export function nameValues(values: readonly string[]): readonly (readonly [value: string, name: string])[] {
  return values.map((value) => [value, nameValue(value)] as const);
}

/** The status of a member; an active one without an accepted invitation is invited. */
export function viewMemberStatus({ status, canSignIn }: Pick<User, 'status' | 'canSignIn'>): TemplateResult {
  return viewStatus(status === 'active' && !canSignIn ? 'invited' : status);
}

const tones: Readonly<Record<string, 'good' | 'bad'>> = {
  active: 'good',
  delivered: 'good',
  enabled: 'good',
  finished: 'good',
  published: 'good',
  dead: 'bad',
  disabled: 'bad',
  failing: 'bad',
  overdue: 'bad',
  critical: 'bad',
  completed: 'good',
  closed: 'good',
};

/** A status as a badge: the word says it, the colour only repeats it. */
export function viewStatus(status: string): TemplateResult {
  return html`<span class="status" data-tone=${tones[status] ?? 'neutral'}>${nameValue(status)}</span>`;
}

/** A deadline: whether it has passed is said in words. */
export function viewDue(time: string, isOverdue: boolean): TemplateResult {
  return html`${viewTime(time)} ${isOverdue ? viewStatus('overdue') : ''}`;
}

/** What a field for a time holds, in the zone of the user. */
export function toLocalInput(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A term with its value, of a list of facts. */
export function viewTerm(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}
