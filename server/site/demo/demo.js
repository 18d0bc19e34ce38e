// Shows the decision that SvcConsent reports.
const state = document.getElementById('state');

document.getElementById('open').addEventListener('click', () => globalThis.SvcConsent?.open());
document.addEventListener('svc-consent', (event) => {
  state.textContent = JSON.stringify(event.detail, null, 2);
});
