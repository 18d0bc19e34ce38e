import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { readSite } from '../accounts/authenticate.ts';
import type { Tenant } from '../accounts/tenants/tenant.ts';
import { html, type Markup, withoutDirections } from '../http/html.ts';
import { Problem, refuseMethod, requireGetOrHead } from '../http/problem.ts';
import { readClient, readFormBody } from '../http/request.ts';
import { immutable, StaticFile } from '../http/static-file.ts';
import type { Installation } from '../installation/installation.ts';
import { runTransaction } from '../storage/database.ts';
import { type DsrRow, dsrTypes, PublicDsrInput } from './dsr.ts';
import { findFormTenant, submitDsr } from './form-store.ts';
import de from './messages/de.json' with { type: 'json' };
import en from './messages/en.json' with { type: 'json' };
import fr from './messages/fr.json' with { type: 'json' };

/** One script, one style sheet, and nothing of other origins. Without the script the form is sent to its own page. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** The texts in each language that the pages have. `{days}` and `{email}` stand for values. */
const formWords = { en, de, fr };
type FormWords = typeof en;
type Language = keyof typeof formWords;
const languages = Object.keys(formWords) as Language[];

/**
 * Serves the form for data-subject requests of every tenant that has turned it on, at `/privacy/<slug>/request`, and the
 * page of the link that confirms an address, at `/privacy/confirm`. A browser without JavaScript sends the form here, and
 * gets a page; its script sends it to the API.
 * @param findContact the contact address that a tenant publishes.
 */
export function serveRequestForm(
  { database, hasher, clock, settings }: Installation,
  findContact: (slug: string) => Promise<string | null>,
): Middleware {
  const assets = ['form.css', 'form.js'].map((name) => {
    const content = readFileSync(join(import.meta.dirname, name));
    const pinned = new StaticFile(name, content, immutable);
    return { name, pinned, unpinned: new StaticFile(name, content, 'no-cache') };
  });
  const [style = '', script = ''] = assets.map(({ name, pinned }) => `/privacy/${name}?v=${pinned.tag}`);
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/privacy/')) return next();
    const asset = assets.find(({ name }) => ctx.path === `/privacy/${name}`);
    const [, slug] = /^\/privacy\/([^/]+)\/request$/.exec(ctx.path) ?? [];
    const isConfirmation = ctx.path === '/privacy/confirm';
    if (asset === undefined && slug === undefined && !isConfirmation) return next();
    ctx.state.route = isConfirmation
      ? '/privacy/confirm'
      : slug === undefined
        ? '/privacy/{file}'
        : '/privacy/{slug}/request';
    if (slug === undefined) requireGetOrHead(ctx);
    else if (!formMethods.includes(ctx.method)) throw refuseMethod(formMethods);
    if (asset !== undefined)
      return (ctx.querystring === `v=${asset.pinned.tag}` ? asset.pinned : asset.unpinned).send(ctx);
    const language = chooseLanguage(ctx);
    const words = formWords[language];
    const write = (title: string, body: Markup) => writeDocument({ language, title, body, style, script });
    const tenant = slug === undefined ? undefined : await findFormTenant(database.kysely, slug);
    ctx.status = isConfirmation || tenant !== undefined ? 200 : 404;
    ctx.set({
      'Content-Security-Policy': policy,
      // Without a referrer, browsers send `Origin: null` with the form.
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    });
    ctx.vary('Accept-Language');
    ctx.type = 'text/html; charset=utf-8';
    if (tenant !== undefined) {
      const open = (input: PublicDsrInput) =>
        runTransaction(database, clock(), (tx) =>
          submitDsr(tx, hasher, readClient(ctx.req, settings.trustedProxies), tenant.slug, input),
        );
      const isForeign = readSite(ctx.req, settings.baseUrl) === 'foreign';
      const submission =
        ctx.method !== 'POST' ? unsent : isForeign ? { ...unsent, status: 403 } : await submit(ctx.req, open);
      ctx.status = submission.status;
      ctx.set(submission.headers);
      const { dsr } = submission;
      const title = `${dsr === null ? words.title : words.received} · ${withoutDirections(tenant.name)}`;
      const form = async () => writeForm(words, tenant, await findContact(tenant.slug), submission);
      ctx.body = write(title, dsr === null ? await form() : writeReceived(words, tenant, language, dsr));
    } else if (isConfirmation) ctx.body = write(words.confirmTitle, writeConfirmation(words));
    else
      ctx.body = write(
        words.missing,
        html`<main>\n<h1>${words.missing}</h1>\n<p class="lead">${words.missingHint}</p>\n</main>`,
      );
  };
}

/** A form that a browser sent without the script, and its outcome. */
interface Submission {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of the fields, to be corrected. */
  readonly values: Readonly<Record<string, string>>;
  /** The fields that are wrong. */
  readonly wrong: ReadonlySet<string>;
  readonly dsr: DsrRow | null;
}

const unsent: Submission = { status: 200, headers: {}, values: {}, wrong: new Set(), dsr: null };
const formMethods = ['GET', 'HEAD', 'POST'];
/** Four bytes of UTF-8 for each of 2,500 characters, percent-encoded, are less. */
const longestForm = 32 * 1024;

/** Reads what was sent, and opens the request if it is valid. @throws {Problem} for a body that is no form. */
async function submit(request: IncomingMessage, open: (input: PublicDsrInput) => Promise<DsrRow>): Promise<Submission> {
  const fields = (await readFormBody(request, longestForm)).value as Readonly<Record<string, string>>;
  // Forms send every field, and lines end in CRLF.
  const values = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name, value.replace(/\r\n/g, '\n')]],
    ),
  );
  const parsed = PublicDsrInput.safeParse(values);
  if (!parsed.success) {
    const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
    return { ...unsent, status: 422, values, wrong };
  }
  try {
    return { ...unsent, dsr: await open(parsed.data) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'rate_limited') throw error;
    return { ...unsent, status: error.status, headers: error.options.headers ?? {}, values };
  }
}

/** The language that the address names, else the one that the browser prefers. */
function chooseLanguage(ctx: Context): Language {
  const { language } = ctx.query;
  return languages.find((one) => one === language) ?? ((ctx.acceptsLanguages(...languages) || 'en') as Language);
}

/** A label, the field and the place of its error message. `hint` and `error` may be empty. */
function writeField(name: string, label: Markup, field: Markup, hint: string, error: string): Markup {
  const note = hint === '' ? null : html`<p class="hint" id="${name}-hint">${hint}</p>\n`;
  return html`<div class="field">
<label for="${name}">${label}</label>
${note}${field}
<p class="error" id="${name}-error"${error === '' ? html` hidden` : null}>${error}</p>
</div>
`;
}

function writeForm(
  words: FormWords,
  { name, slug, dsrDays }: Tenant,
  contact: string | null,
  { status, values, wrong }: Submission,
): Markup {
  const optional = (label: string) => html`${label} <span class="optional">(${words.optional})</span>`;
  const options = dsrTypes.map((type) => {
    const selected = values.type === type ? html` selected` : null;
    return html`<option value="${type}"${selected}>${words.types[type]}</option>\n`;
  });
  const errors = {
    type: words.typeMissing,
    email: words.emailInvalid,
    name: words.nameInvalid,
    message: words.messageInvalid,
  };
  const fields = Object.keys(errors) as (keyof typeof errors)[];
  const [first] = fields.filter((field) => wrong.has(field));
  const errorOf = (field: keyof typeof errors) => (wrong.has(field) ? errors[field] : '');
  const about = (field: keyof typeof errors, description: string) => {
    const mark = wrong.has(field) ? html` aria-invalid="true"` : null;
    const focus = field === first ? html` autofocus` : null;
    return html`id="${field}" name="${field}" aria-describedby="${description}" data-error="${errors[field]}"${mark}${focus}`;
  };
  const failure =
    status === 429 ? words.limited : status === 403 || (wrong.size > 0 && first === undefined) ? words.failed : '';
  const reach = contact && html`<p>${words.contact.replace('{email}', () => contact)}</p>\n`;
  return html`<main>
<p class="kicker"><bdi>${name}</bdi></p>
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<p>${words.due.replace('{days}', String(dsrDays))}</p>
${reach}<form id="request" method="post" data-slug="${slug}" data-failed="${words.failed}" data-limited="${words.limited}">
${writeField(
  'type',
  html`${words.type}`,
  html`<select ${about('type', 'type-error')} required>
<option value="">${words.choose}</option>
${options}</select>`,
  '',
  errorOf('type'),
)}${writeField(
  'email',
  html`${words.email}`,
  html`<input ${about('email', 'email-hint email-error')} type="email" required maxlength="254" autocomplete="email" value="${values.email ?? ''}">`,
  words.emailHint,
  errorOf('email'),
)}${writeField(
  'name',
  optional(words.name),
  html`<input ${about('name', 'name-error')} maxlength="200" autocomplete="name" value="${values.name ?? ''}">`,
  '',
  errorOf('name'),
)}${writeField(
  'message',
  optional(words.message),
  html`<textarea ${about('message', 'message-hint message-error')} maxlength="2000" rows="6">\n${values.message ?? ''}</textarea>`,
  words.messageHint,
  errorOf('message'),
)}<p class="alert" role="alert" id="failure">${failure}</p>
<button>${words.send}</button>
</form>
<section id="done" hidden>
<h2 tabindex="-1">${words.received}</h2>
${writeReceipt(words, null)}
</section>
</main>`;
}

/** The reference and the due date. @param receipt null where the script fills them in. */
function writeReceipt(words: FormWords, receipt: { readonly id: string; readonly due: Markup } | null): Markup {
  return html`<p>${words.keep}</p>
<dl><div><dt>${words.reference}</dt><dd id="reference">${receipt?.id ?? null}</dd></div>
<div><dt>${words.answerBy}</dt><dd>${receipt?.due ?? html`<time id="due"></time>`}</dd></div></dl>`;
}

/** The page after a form that was sent without the script. */
function writeReceived(words: FormWords, { name }: Tenant, language: Language, { id, due_at }: DsrRow): Markup {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(due_at));
  return html`<main>
<p class="kicker"><bdi>${name}</bdi></p>
<h1>${words.received}</h1>
${writeReceipt(words, { id, due: html`<time datetime="${due_at}">${day}</time>` })}
</main>`;
}

function writeConfirmation(words: FormWords): Markup {
  return html`<main>
<h1>${words.confirmTitle}</h1>
<p class="alert" id="unscripted">${words.noScriptConfirm}</p>
<form id="confirm" data-failed="${words.failed}" data-limited="${words.limited}" data-over="${words.linkOver}" novalidate hidden>
<p class="lead">${words.confirmLead}</p>
<p class="alert" role="alert" id="failure"></p>
<button>${words.confirm}</button>
</form>
<section id="done" hidden>
<h2 tabindex="-1">${words.confirmed}</h2>
<p>${words.confirmedHint}</p>
</section>
</main>`;
}

function writeDocument({
  language,
  title,
  body,
  style,
  script,
}: Readonly<Record<'language' | 'title' | 'style' | 'script', string>> & { readonly body: Markup }): string {
  return `${html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
${body}
</body>
</html>
`}`;
}
