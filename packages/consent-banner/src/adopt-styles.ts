const sheets = new Map<string, CSSStyleSheet>();

/** Gives a shadow root its styles as constructable sheets, which no Content-Security-Policy minds. */
export function adoptStyles(root: ShadowRoot, ...styles: readonly string[]): void {
  root.adoptedStyleSheets = styles.map((text) => sheets.get(text) ?? createSheet(text));
}

function createSheet(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}
