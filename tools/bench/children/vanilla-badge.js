// The floor of the badge: one look, no options, nothing checked.
customElements.define(
  'vanilla-badge',
  class extends HTMLElement {
    async connectedCallback() {
      const root = this.attachShadow({ mode: 'open' });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('a{display:inline-flex;gap:8px;padding:10px 16px;border:1px solid #dfe4ee;border-radius:22px}');
      root.adoptedStyleSheets = [sheet];
      const response = await fetch(`/v1/public/trust/${this.getAttribute('tenant')}/widget`, { credentials: 'omit' });
      const { data } = await response.json();
      const link = document.createElement('a');
      link.href = `/trust/${data.slug}`;
      const name = document.createElement('strong');
      name.textContent = data.name;
      const updated = document.createElement('time');
      updated.dateTime = data.updatedAt;
      updated.textContent = new Date(data.updatedAt).toLocaleDateString();
      link.append(name, updated);
      root.append(link);
    }
  },
);
