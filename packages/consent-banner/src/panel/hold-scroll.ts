const held = /* @__PURE__ */ new CSSStyleSheet();

/** Keeps the page behind the panel from scrolling, and its content from moving into the place of the scroll bar. */
export function holdScroll(isHeld: boolean): void {
  const hasBar = innerWidth > document.documentElement.clientWidth;
  if (isHeld) held.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
  const others = document.adoptedStyleSheets.filter((sheet) => sheet !== held);
  document.adoptedStyleSheets = isHeld ? [...others, held] : others;
}
