/** Describes the mistake in a block of configuration or data; null if there is none. */
export function checkForm(language: string, code: string): string | null {
  return forms[language]?.(code) ?? null;
}

type Check = (code: string) => string | null;

const forms: Readonly<Record<string, Check>> = {
  html: checkTags,
  json: (code) => attempt(() => JSON.parse(code)),
  http: checkHttp,
  nginx: (code) => checkBalance(code) ?? checkLines(code, /^(#.*|.*[;{}])$/, 'ends with ; or a brace'),
  caddy: checkBalance,
  ini: checkSettings,
  systemd: checkSettings,
  toml: checkSettings,
  yaml: (code) =>
    checkLines(code, /^ *(#.*|- .*|-|[\w."'/{}$-]+:( .*)?|[^:\t]+)$/, 'is a key, an item or a comment') ??
    checkIndent(code),
  dockerfile: (code) =>
    checkLines(
      code.replace(/\\\n/g, ' '),
      /^(#.*|(FROM|RUN|CMD|LABEL|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|HEALTHCHECK|STOPSIGNAL|SHELL) .+)$/,
      'begins with an instruction',
    ),
  sql: (code) => checkBalance(code) ?? (/;\s*(--.*)?$/.test(code.trim()) ? null : 'must end with ;'),
  css: checkBalance,
  txt: (code) => (code.trim() === '' ? 'is empty' : null),
};

function attempt(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return String(error);
  }
}

function checkHttp(code: string): string | null {
  const [head = '', ...rest] = code.trimEnd().split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  if (!/^([A-Z]+ \S+( HTTP\/[\d.]+)?|HTTP\/[\d.]+ \d{3}( .*)?)$/.test(first))
    return `"${first}" is no request or status line`;
  const odd = headers.find((line) => !/^([\w-]+:\s*\S.*|\s+\S.*)$/.test(line));
  if (odd !== undefined) return `"${odd}" is no header`;
  const body = rest.join('\n\n').trim();
  return /^[[{]/.test(body) ? attempt(() => JSON.parse(body)) : null;
}

const emptyElements = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);

/** Every element that begins ends, in its order; what HTML lets one leave out is written all the same. */
function checkTags(code: string): string | null {
  const open: string[] = [];
  const plain = code
    .replace(/<!--[\s\S]*?-->|<!doctype html>/gi, '')
    .replace(/(<script[^>]*>)[\s\S]*?(?=<\/script>)/g, '$1');
  for (const [whole, slash, name = ''] of plain.matchAll(/<(\/?)([a-z][a-z0-9-]*)(?:"[^"]*"|'[^']*'|[^>"'])*>/g)) {
    if (emptyElements.has(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return `has a ${whole} that ends nothing`;
  }
  // A body that goes on below what is shown may stay open.
  const left = open.filter((name) => !['html', 'body'].includes(name));
  return left.length === 0 ? null : `has a <${left.at(-1)}> that does not end`;
}

const pairs: Readonly<Record<string, string>> = { '}': '{', ')': '(', ']': '[' };

function checkBalance(code: string): string | null {
  const open: string[] = [];
  const plain = code.replace(/(^|\s)(#|--).*$/gm, '$1').replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  for (const character of plain) {
    if ('{(['.includes(character)) open.push(character);
    if (pairs[character] !== undefined && open.pop() !== pairs[character]) return `has a ${character} too many`;
  }
  if (/["']/.test(plain.replaceAll('""', ''))) return 'has a quote that does not end';
  return open.length === 0 ? null : `has an open ${open.at(-1)}`;
}

function checkSettings(code: string): string | null {
  return checkLines(
    code.replace(/\\\n/g, ' '),
    /^([#;].*|\[[^\]]+\]|[\w.-]+\s*=.*)$/,
    'is a section, a setting or a comment',
  );
}

function checkLines(code: string, form: RegExp, what: string): string | null {
  const odd = code.split('\n').find((line) => line.trim() !== '' && !form.test(line.trim()));
  return odd === undefined ? null : `not every line ${what}: "${odd}"`;
}

function checkIndent(code: string): string | null {
  const odd = code
    .split('\n')
    .find((line) => /^ *\t/.test(line) || ((/^ */.exec(line)?.[0].length ?? 0) % 2 === 1 && line.trim() !== ''));
  return odd === undefined ? null : `is indented oddly: "${odd}"`;
}
