import { roleIds, scopes, scopesOf } from '../../server/http/roles.ts';
import { html, type Markup } from './markup.ts';
import { writeTable } from './table.ts';

/** Writes every scope with the roles that have it. */
export function writeScopes(): Markup {
  const rows = scopes.map((scope) => [
    html`<code>${scope}</code>`,
    ...roleIds.map((role) => (scopesOf(role).has(scope) ? 'yes' : '–')),
  ]);
  return writeTable('Scopes of roles', ['Scope', ...roleIds], rows);
}
