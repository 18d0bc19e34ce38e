/** The public data of a trust center for widgets. */
export interface Trust {
  readonly name: string;
  readonly slug: string;
  /** Display names. */
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
}

/** Parses a server response as trust data of this tenant; throws for anything else. */
export function parseTrust(body: unknown, tenant: string): Trust {
  const { data } = body as { readonly data: Trust };
  const { name, slug, achievedFrameworks, updatedAt } = data;
  if (slug !== tenant || !isText(name, 200) || !isList(achievedFrameworks) || !isTime(updatedAt)) {
    throw new TypeError('a field is odd');
  }
  return data;
}

function isText(value: unknown, maximum: number): value is string {
  return typeof value === 'string' && /\S/.test(value) && value.length <= maximum;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 50 && value.every((item) => isText(item, 100));
}

/** RFC 3339, section 5.6: a date-time. */
function isTime(value: unknown): value is string {
  const form = /^\d\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
  return isText(value, 40) && form.test(value) && Date.parse(value) > 0;
}
