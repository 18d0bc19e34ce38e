import type { Dialect } from './database.ts';
import { isWithoutRowid, listColumns, type Schema, schemas } from './schema.ts';

/** A trigger as the database stores it. */
export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

const guards: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    update: "before update on $table $unless begin select raise(abort, '$table is append-only'); end",
    delete: "before delete on $table begin select raise(abort, '$table is append-only'); end",
  },
  postgres: {
    change: 'BEFORE DELETE OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION refuse_change($erasable)',
    truncate: 'BEFORE TRUNCATE ON $table FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  },
};

/** The triggers of the append-only tables. */
export function listGuards(dialect: Dialect): readonly Trigger[] {
  return Object.values(schemas).flatMap((schema) => guardsOf(schema, dialect));
}

/** The triggers of the append-only tables of one migration. */
export function guardsOf(schema: Schema, dialect: Dialect): readonly Trigger[] {
  return (schema.appendOnly ?? []).flatMap((table) => {
    const erasable = listErasable(table);
    const unless = erasable.length === 0 ? '' : `when not (${describeClearing(table, erasable)}) `;
    const columns = erasable.map((column) => `'${column}'`).join(', ');
    const events = Object.entries(guards[dialect]).map(([event, statement]) => {
      return [event, statement.replace('$unless ', unless).replace('$erasable', columns)];
    });
    return writeGuards(table, 'refuse', Object.fromEntries(events));
  });
}

function writeGuards(table: string, verb: string, events: Readonly<Record<string, string>>): readonly Trigger[] {
  return Object.entries(events).map(([event, statement]) => {
    const name = `${table}_${verb}_${event}`;
    return { name, table, sql: `CREATE TRIGGER ${name} ${statement.replaceAll('$table', table)}` };
  });
}

const closing: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: Object.fromEntries(
    ['insert', 'update', 'delete'].map((event) => [
      event,
      `before ${event} on $table begin select raise(abort, '$table is closed: svc move took the data elsewhere'); end`,
    ]),
  ),
  postgres: {
    change: 'BEFORE INSERT OR DELETE OR UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION refuse_change()',
  },
};

/**
 * The triggers that close a database whose data `svc move` took elsewhere. Every change of a tenant changes the head of a
 * chain, so that also a process that was open before cannot acknowledge a change that the copy lacks.
 */
export function listClosingGuards(dialect: Dialect): readonly Trigger[] {
  return writeGuards('chain_heads', 'close', closing[dialect]);
}

/**
 * The columns of an append-only table that an erasure sets to null, all in one update that changes nothing else, except that it
 * may set `erased_at`, once.
 */
function listErasable(table: string): readonly string[] {
  const columns = listColumns(table);
  const personal = columns.filter(({ isPersonal }) => isPersonal);
  return columns.filter((column) => personal.length > 0 && (column.isPersonal || column.name === 'salt')).map(nameOf);
}

const nameOf = ({ name }: { readonly name: string }) => name;

/** The condition, for SQLite, that an update only erases. */
function describeClearing(table: string, erasable: readonly string[]): string {
  const columns = listColumns(table).map(nameOf);
  const kept = columns.filter((column) => column !== 'erased_at' && !erasable.includes(column));
  if (!isWithoutRowid(table)) kept.push('rowid');
  return [
    ...erasable.map((column) => `new.${column} is null`),
    ...(columns.includes('erased_at') ? ['old.erased_at is null'] : []),
    ...kept.map((column) => `new.${column} is old.${column}`),
  ].join(' and ');
}

/** The body of the function that the triggers of PostgreSQL call, with the columns that an erasure sets to null. */
export const refusal = ` begin
  if tg_op = 'UPDATE' and tg_nargs > 0
    and not jsonb_strip_nulls(to_jsonb(new)) ?| tg_argv
    and to_jsonb(old) ->> 'erased_at' is null
    and to_jsonb(new) - (tg_argv || 'erased_at'::text) = to_jsonb(old) - (tg_argv || 'erased_at'::text)
  then return new; end if;
  raise exception '% is append-only', tg_table_name;
end `;
