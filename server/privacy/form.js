// Sends the form for data-subject requests, and the confirmation of an address. The texts are in the page.
const byId = (id) => document.getElementById(id);
const form = byId('request') ?? byId('confirm');

const post = async (path, body) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
};

const mark = (field, isWrong) => {
  const error = byId(`${field.id}-error`);
  error.textContent = isWrong ? field.dataset.error : '';
  error.hidden = !isWrong;
  if (isWrong) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
};

/** Shows which fields are wrong, and moves to the first. */
const markAll = (isWrong) => {
  const fields = [...form.elements].filter((field) => field.dataset.error !== undefined);
  for (const field of fields) mark(field, isWrong(field));
  const first = fields.find(isWrong);
  first?.focus();
  return first !== undefined;
};

const showDone = () => {
  form.hidden = true;
  byId('done').hidden = false;
  byId('done').querySelector('h2').focus();
};

const explain = (status) => {
  const { limited, over, failed } = form.dataset;
  byId('failure').textContent = status === 429 ? limited : status === 404 && over !== undefined ? over : failed;
};

const sendRequest = async () => {
  if (markAll((field) => !field.validity.valid)) return;
  const filled = [...new FormData(form)].filter(([, value]) => value.trim() !== '');
  const { status, answer } = await post(`/v1/public/dsr/${form.dataset.slug}`, Object.fromEntries(filled));
  if (status === 422) {
    const wrong = new Set((answer.error?.details ?? []).map(({ path }) => path));
    if (markAll((field) => wrong.has(`body.${field.name}`))) return;
  }
  if (status !== 201) return explain(status);
  const { reference, dueAt } = answer.data;
  byId('reference').textContent = reference;
  byId('due').dateTime = dueAt;
  byId('due').textContent = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' }).format(
    new Date(dueAt),
  );
  showDone();
};

const sendConfirmation = async () => {
  const { status } = await post('/v1/public/dsr-confirmations', { token: location.hash.slice(1, 101) });
  if (status === 200) showDone();
  else explain(status);
};

if (form !== null) {
  const button = form.querySelector('button');
  form.hidden = false;
  // The script names what is wrong, in the language of the page.
  form.noValidate = true;
  byId('unscripted')?.remove();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // Not disabled while it waits: the focus would be lost.
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    byId('failure').textContent = '';
    try {
      await (form.id === 'request' ? sendRequest() : sendConfirmation());
    } catch {
      explain(0);
    }
    button.removeAttribute('aria-disabled');
  });
}
