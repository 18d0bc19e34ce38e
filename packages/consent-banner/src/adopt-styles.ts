const sheets = new Map<string, CSSStyleSheet>();

/** Applies styles to a shadow root as constructable sheets, which every Content-Security-Policy allows. */
export function adoptStyles(root: ShadowRoot, ...styles: readonly string[]): void {
  root.adoptedStyleSheets = styles.map((text) => sheets.get(text) ?? createSheet(text));
}

function createSheet(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}
