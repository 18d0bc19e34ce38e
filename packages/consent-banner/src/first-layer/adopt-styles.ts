const sheets: Record<string, CSSStyleSheet> = {};

/** Adds styles to a tree once, as a constructable sheet, which every Content-Security-Policy allows. */
export function adoptStyles(root: DocumentOrShadowRoot, text: string): void {
  let sheet = sheets[text];
  if (!sheet) {
    sheet = sheets[text] = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
