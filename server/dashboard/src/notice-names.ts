import { type LifetimeUnit, lifetimeUnits } from './notice-draft.ts';
import { pageWords, readLocale } from './preferences.ts';

/** The name of a language in that of the user; the tag of one that the browser does not know. */
export function nameLanguage(tag: string): string {
  return nameCode('language', tag);
}

/** The name of a country or of a part of one: `US-CA` is "California, United States". */
export function nameRegion(code: string): string {
  const [country = '', part] = code.split('-');
  const name = nameCode('region', country);
  if (part === undefined) return name;
  return `${country === 'US' ? (states[part] ?? part) : part}, ${name}`;
}

function nameCode(type: 'language' | 'region', code: string): string {
  try {
    return new Intl.DisplayNames(document.documentElement.lang, { type }).of(code) ?? code;
  } catch {
    // The code may be incomplete while it is typed.
    return code;
  }
}

/** A lifetime of a tracker as people write it. @param names of those that are no duration. */
export function nameLifetime(
  lifetime: string,
  names: Readonly<Record<string, string>> = pageWords.editor.lifetimes,
  locale = readLocale(),
): string {
  return Object.hasOwn(names, lifetime) ? (names[lifetime] as string) : nameDuration(lifetime, locale);
}

const units = { Y: 'year', M: 'month', D: 'day', H: 'hour', TM: 'minute', S: 'second' } as const;

/** A duration of ISO 8601 as people write it. */
export function nameDuration(duration: string, locale = readLocale()): string {
  const [date = '', time = ''] = duration.split('T');
  const readParts = (text: string, prefix: string) =>
    text.split(/(?<=[A-Z])/).flatMap((part) => {
      const [, amount, letter = ''] = /^(\d+)([A-Z])$/.exec(part) ?? [];
      if (amount === undefined) return [];
      const unit = units[(letter === 'M' ? prefix + letter : letter) as keyof typeof units];
      return nameAmount(Number(amount), unit, locale);
    });
  const parts = [...readParts(date, ''), ...readParts(time, 'T')];
  return parts.length === 0 ? duration : new Intl.ListFormat(locale, { type: 'unit', style: 'long' }).format(parts);
}

function nameAmount(amount: number, unit: string, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
}

export const unitNames = Object.keys(lifetimeUnits) as readonly LifetimeUnit[];

/** The states of the USA, whose laws differ: browsers know no names of ISO 3166-2. */
export const states: Readonly<Record<string, string>> = Object.fromEntries(
  `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming`
    .split(',')
    .map((state) => [state.slice(0, 2), state.slice(3)]),
);
