/** What a trust center publishes for widgets. */
export interface Trust {
  readonly name: string;
  /** Display names in the order given, each once. */
  readonly frameworks: readonly string[];
  readonly updatedAt: string;
}

/** Reads a server's answer as trust data of this tenant; anything else throws. */
export function parseTrust(body: unknown, tenant: string): Trust {
  const { name, slug, achievedFrameworks, updatedAt } = (body as { data: Record<string, unknown> }).data;
  if (slug !== tenant || !isText(name) || !isList(achievedFrameworks) || !isTime(updatedAt)) {
    throw new TypeError('a field is missing or odd');
  }
  return { name, frameworks: [...new Set(achievedFrameworks)], updatedAt };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTime(value: unknown): value is string {
  return isText(value) && Date.parse(value) > 0;
}
