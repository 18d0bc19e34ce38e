/**
 * Writes JSON over several lines, with each list and object that fits on one line.
 * @param columns the longest line on which a list or an object is written.
 */
export function writeJson(value: unknown, columns: number, indent = ''): string {
  const short = writeShort(value);
  if (typeof value !== 'object' || value === null || short.length + indent.length <= columns) return short;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + writeJson(item, columns, inner))
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${writeJson(item, columns, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function writeShort(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeShort).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${writeShort(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
