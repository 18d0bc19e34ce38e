/** Whether the browser sends Global Privacy Control, https://www.w3.org/TR/gpc/. */
export function hasPrivacySignal(): boolean {
  return (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
}
