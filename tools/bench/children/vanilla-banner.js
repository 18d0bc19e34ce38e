// The floor of the banner: it fetches the notice, shows three buttons, and forgets the answer. Nothing is checked.
customElements.define(
  'vanilla-banner',
  class extends HTMLElement {
    async connectedCallback() {
      const root = this.attachShadow({ mode: 'open' });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        '.banner{position:fixed;inset:auto auto 16px 16px;max-width:27em;padding:22px;border:1px solid #dfe4ee;border-radius:16px;font:16px/1.5 system-ui}button{min-height:44px}',
      );
      root.adoptedStyleSheets = [sheet];
      const response = await fetch(`/v1/public/consent/${this.getAttribute('notice-id')}`, { credentials: 'omit' });
      const { data } = await response.json();
      const banner = document.createElement('section');
      banner.className = 'banner';
      banner.popover = 'manual';
      const title = document.createElement('h2');
      title.textContent = 'Your privacy, your choice';
      const text = document.createElement('p');
      text.textContent = `${data.controllerName} asks for: ${data.purposes.map(({ label }) => label).join(', ')}.`;
      banner.append(title, text);
      for (const choice of ['Reject all', 'Accept all', 'Preferences']) {
        const button = document.createElement('button');
        button.textContent = choice;
        button.onclick = () => banner.remove();
        banner.append(button);
      }
      root.append(banner);
      banner.showPopover();
    }
  },
);
