/**
 * Watches for scripts that take the focus from a layer that stays open, as the focus trap of a dialog does.
 * @param report called with the problem and its solution.
 * @returns a function that stops watching.
 */
export function watchFocus(report: (problem: string) => void): () => void {
  const listen = (event: FocusEvent): void => {
    const { relatedTarget } = event;
    const from = event.composedPath()[0];
    if (!(from instanceof Element && relatedTarget instanceof Element)) return;
    const { host } = from.getRootNode() as Partial<ShadowRoot>;
    // A layer that closes returns the focus.
    const isOpen = from.closest('.layer')?.matches(':modal,:popover-open');
    if (!isOpen || host?.localName !== 'svc-consent' || host.contains(relatedTarget)) return;
    // After a key or click of the visitor there is only this function on the stack.
    if ((new Error().stack?.match(/:\d+:\d+/g)?.length ?? 0) < 2) return;
    report(
      `A script moves the focus from the banner to <${relatedTarget.localName}>. Exclude <svc-consent> from its focus trap.`,
    );
  };
  // The banner stops the other events of the focus.
  addEventListener('focusout', listen, true);
  return () => removeEventListener('focusout', listen, true);
}
