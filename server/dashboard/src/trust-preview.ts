import { writeTrustBody } from '../../site/trust/page-markup.ts';
import type { PublishedTrustCenter } from '../../site/trust/store.ts';
import type { Achievement } from '../../site/trust/trust-center.ts';

/** A draft of the trust center, as the editor sends it to the page of the preview. */
export interface TrustPreview {
  readonly center: PublishedTrustCenter;
  readonly achievements: readonly Achievement[];
}

/** Some browsers have no Trusted Types. */
interface PolicyWindow extends Window {
  readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
}
interface Policy {
  createHTML(markup: string): string;
}

// The code of the public page escapes everything that it inserts, here as there.
const policy = (window as PolicyWindow).trustedTypes?.createPolicy('svc-trust-preview', {
  createHTML: (markup: string) => markup,
});

addEventListener('message', ({ origin, source, data }) => {
  // Extensions send messages of their own.
  if (origin !== location.origin || source !== parent || !Object(data).center) return;
  const { center, achievements } = data as TrustPreview;
  const markup = String(writeTrustBody(center, achievements, center.updatedAt, '#'));
  document.body.innerHTML = policy?.createHTML(markup) ?? markup;
});

// The target of a link would replace the preview.
addEventListener('click', (event) => {
  if ((event.target as Element).closest('a') !== null) event.preventDefault();
});
