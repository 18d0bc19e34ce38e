/** Reads which attributes were chosen in the form of a live widget; what is left empty is not set. */
export function readFields(form: HTMLElement): ReadonlyMap<string, string> {
  const controls = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-attribute]');
  return new Map(
    [...controls].flatMap(({ dataset, value }) =>
      value.trim() === '' ? [] : [[dataset.attribute ?? '', value.trim()] as const],
    ),
  );
}

/** Puts a value into the field of an attribute. */
export function setField(form: HTMLElement, attribute: string, value: string): void {
  const control = form.querySelector<HTMLInputElement>(`[data-attribute="${attribute}"]`);
  if (control !== null) control.value = value;
}

/** Makes an element with the attributes that were chosen. */
export function createWidget(name: string, attributes: ReadonlyMap<string, string>): HTMLElement {
  const element = document.createElement(name);
  for (const [attribute, value] of attributes) element.setAttribute(attribute, value);
  return element;
}

/** Calls after the last of several changes that follow each other quickly, as in typing. */
export function settle(action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, 150);
  };
}
