import '../../../packages/trust-badge/src/index.ts';

/** Message of the configurator to the page of the preview. */
export interface BadgePreview {
  readonly attributes: Readonly<Record<string, string>>;
  /** Of the page around the badge. */
  readonly theme: 'light' | 'dark';
}

const place = document.querySelector('#place') as HTMLElement;

addEventListener('message', ({ origin, source, data }) => {
  // Extensions send messages of their own.
  if (origin !== location.origin || source !== parent || !Object(data).attributes) return;
  const { attributes, theme } = data as BadgePreview;
  const badge = document.createElement('svc-trust-badge');
  for (const [name, value] of Object.entries(attributes)) badge.setAttribute(name, value);
  document.documentElement.dataset.theme = theme;
  place.replaceChildren(badge);
});

// The target of a link would replace the preview.
addEventListener(
  'click',
  (event) => event.composedPath().some((target) => target instanceof HTMLAnchorElement) && event.preventDefault(),
);
