import { html, type TemplateResult } from 'lit';
import type { Control, User } from '../../../packages/node-sdk/src/types/api.ts';
import { pageWords, readLocale } from './preferences.ts';
import './relative-time.ts';

/** How times are shown, made once: that takes longer than the rest of a row. */
let shown: Intl.DateTimeFormat | undefined;

/** A time in the zone of the user, with the stored UTC value as its title. */
export function viewTime(time: string | null): TemplateResult | string {
  if (time === null) return '–';
  shown ??= new Intl.DateTimeFormat(readLocale(), { dateStyle: 'medium', timeStyle: 'short' });
  return html`<time datetime=${time} title=${time}>${shown.format(new Date(time))}</time>`;
}

/** The device of a session, in the language of the user. */
export function nameDevice(device: string | null): string {
  return device?.replace(' on ', ` ${pageWords.deviceOn} `) ?? pageWords.unknownDevice;
}

/** A count with the separators of the language. */
export function formatCount(count: number): string {
  return count.toLocaleString(readLocale());
}

/** A size in the largest unit that it reaches: powers of 1024 as in the limits of the server, which `Intl` has no units for. */
export function formatSize(bytes: number): string {
  const power = [4, 3, 2, 1].find((power) => bytes >= 1024 ** power);
  if (power === undefined)
    return bytes.toLocaleString(readLocale(), { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  const size = (bytes / 1024 ** power).toLocaleString(readLocale(), { maximumFractionDigits: 1 });
  return `${size} ${pageWords.sizeUnits[power - 1]}`;
}

/** A percentage as the language writes it. */
export function formatPercent(percent: number): string {
  return (percent / 100).toLocaleString(readLocale(), { style: 'percent' });
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
  accepted: 'good',
  current: 'good',
  pass: 'good',
  valid: 'good',
  holds: 'good',
  failed: 'bad',
  fail: 'bad',
  expired: 'bad',
  due: 'bad',
};

/** A status as a badge: the word says it, the colour only repeats it. */
export function viewStatus(status: string): TemplateResult {
  return html`<span class="status" data-tone=${tones[status] ?? 'neutral'}>${nameValue(status)}</span>`;
}

/** How far a time is from now, such as "in 41 hr". */
export function viewRelative(time: string): TemplateResult {
  return html`<svc-relative-time .time=${time}></svc-relative-time>`;
}

/** A deadline: whether it has passed is said in words. @param isOpen whether it still counts. */
export function viewDue(time: string, isOverdue: boolean, isOpen: boolean): TemplateResult {
  return html`${viewTime(time)} ${isOpen ? html`<strong>${viewRelative(time)}</strong>` : ''} ${isOverdue ? viewStatus('overdue') : ''}`;
}

/** Value of a field for a time, in the time zone of the user. */
export function toLocalInput(time: string | null): string {
  if (time === null) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * The first moment of a day in the zone of the user.
 * @param date as a field for dates has it.
 * @param later days after that one.
 */
export function startOfDay(date: string, later = 0): Date {
  const time = new Date(`${date}T00:00`);
  time.setDate(time.getDate() + later);
  return time;
}

/** The last second of a day: what ends with it is shown with its date. */
export function endOfDay(date: string): Date {
  return new Date(startOfDay(date, 1).getTime() - 1000);
}

/** A term with its value, of a list of facts. */
export function viewTerm(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** A table that scrolls by itself where it is wider than the page. */
export function viewTable(title: string, columns: readonly unknown[], rows: readonly TemplateResult[]): TemplateResult {
  return html`<div class="scroll" role="region" aria-label=${title} tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** A link to a control: a title of any direction leaves its code where it is. */
export function viewControlLink({ id, code, title }: Pick<Control, 'id' | 'code' | 'title'>): TemplateResult {
  return html`<a href="/app/controls/${id}">${code} <bdi>${title}</bdi></a>`;
}
