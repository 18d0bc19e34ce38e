/**
 * The language that fits a wanted one best: itself, a less specific one (`de` for `de-AT`), or another variant (`pt-PT` for
 * `pt-BR`). It is always in the same script.
 * @param offered in order of preference.
 */
export function pickLanguage<Offered extends string>(wanted: string, offered: readonly Offered[]): Offered | undefined {
  const script = nameScript(wanted);
  const readable = offered.filter((tag) => nameScript(tag) === script);
  for (let tag = wanted; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    const found = readable.find((offer) => offer === tag);
    if (found !== undefined) return found;
  }
  return readable[0];
}

/** A language with its script; the two written forms of Norwegian are read by the same people. */
function nameScript(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language === 'nn' || language === 'no' ? 'nb' : language}-${script}`;
}
