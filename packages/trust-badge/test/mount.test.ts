import { expect } from '@open-wc/testing';
import { mountSvcTrustBadge, SvcTrustBadgeElement, type TrustBadgeOptions } from '../src/index.ts';
import { createTenant, createTrust, replaceNetwork, restorePage } from './trust-answers.ts';

describe('mountSvcTrustBadge', () => {
  const tenant = createTenant();
  beforeEach(() => void replaceNetwork(createTrust(tenant)));
  afterEach(restorePage);

  it('appends the element to the body, or to the target, and returns it', () => {
    const target = document.body.appendChild(document.createElement('footer'));
    const first = mountSvcTrustBadge({ tenant });
    const second = mountSvcTrustBadge({ tenant, target });
    expect(first).to.be.instanceOf(SvcTrustBadgeElement);
    expect(first.parentElement).to.equal(document.body);
    expect(second.parentElement).to.equal(target);
    target.remove();
  });

  it('sets every attribute', () => {
    const options: TrustBadgeOptions = {
      tenant,
      apiBase: '/api',
      variant: 'card',
      theme: 'dark',
      accent: 'teal',
      radius: 'sm',
      size: 'lg',
      position: 'top-left',
      showFrameworks: false,
      showUpdated: true,
      showPoweredBy: false,
      locale: 'de',
      trustUrl: '/trust',
    };
    const badge = mountSvcTrustBadge(options);
    const taken = Object.fromEntries(badge.getAttributeNames().map((name) => [name, badge.getAttribute(name)]));
    expect(taken).to.deep.equal({
      tenant,
      'api-base': '/api',
      variant: 'card',
      theme: 'dark',
      accent: 'teal',
      radius: 'sm',
      size: 'lg',
      position: 'top-left',
      'show-frameworks': 'false',
      'show-updated': 'true',
      'show-powered-by': 'false',
      locale: 'de',
      'trust-url': '/trust',
    });
    expect(badge).to.include({ apiBase: '/api', showFrameworks: 'false', trustUrl: '/trust' });
  });

  it('sets only the given attributes, and ignores unknown ones', () => {
    const options = { tenant, theme: undefined, innerHTML: '<b>no</b>', id: 'no' };
    expect(mountSvcTrustBadge(options).outerHTML).to.equal(`<svc-trust-badge tenant="${tenant}"></svc-trust-badge>`);
  });

  for (const target of [null, 'footer', {}, document] as unknown as Element[]) {
    it(`throws if the target is ${target}`, () => {
      expect(() => mountSvcTrustBadge({ tenant, target })).to.throw(TypeError, 'no target element in this document');
      expect(document.querySelector('svc-trust-badge')).to.equal(null);
    });
  }

  it('throws if the target is in another document, where the badge would lack its styles', () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const target = frame.contentDocument?.body as Element;
    expect(() => mountSvcTrustBadge({ tenant, target })).to.throw(TypeError, 'no target element in this document');
    expect(target.childElementCount).to.equal(0);
    frame.remove();
  });

  it('accepts an element that came from another document', () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const target = document.adoptNode(frame.contentDocument?.createElement('footer') as Element);
    frame.remove();
    document.body.append(target);
    expect(mountSvcTrustBadge({ tenant, target }).parentElement).to.equal(target);
    target.remove();
  });

  it('throws if the tenant is missing', () => {
    for (const options of [undefined, null, {}, 'acme', { tenant: undefined }, { tenant: null }] as unknown as [
      TrustBadgeOptions,
    ]) {
      expect(() => mountSvcTrustBadge(options)).to.throw(TypeError, 'mountSvcTrustBadge: no tenant');
    }
  });

  it('has types, like the element', () => {
    const badge = document.createElement('svc-trust-badge');
    // @ts-expect-error: no such variant.
    badge.variant = 'huge';
    // @ts-expect-error: a tenant is required.
    expect(() => mountSvcTrustBadge({ target: null })).to.throw(TypeError);
  });
});
