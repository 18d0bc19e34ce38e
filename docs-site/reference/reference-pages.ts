import { problemKinds } from '../../server/http/problem.ts';
import { html, type Markup } from '../site/markup.ts';
import type { Heading, Page, SearchEntry } from '../site/page.ts';
import { writeErrorsPage } from './errors-page.ts';
import { writeOperation } from './operation-view.ts';
import { writeOverview } from './overview-page.ts';
import { errorsAddress, type Reference, schemasAddress, type Tag } from './reference.ts';
import { writeSchemasPage } from './schemas-page.ts';

const file = 'server/openapi.json';

/** Makes the pages of the reference: an overview, one for each tag, the schemas, the error codes. */
export function writeReferencePages(reference: Reference): readonly Page[] {
  const { document, tags, operations, schemaNames } = reference;
  const codes = Object.keys(problemKinds);
  return [
    createPage({
      title: 'API reference',
      description: `Every operation of the API, version ${document.info.version}, from the document that the server itself gives.`,
      order: 0,
      address: 'reference/',
      content: writeOverview(reference),
      headings: [
        { level: 2, id: 'conventions', text: 'Conventions' },
        { level: 2, id: 'examples', text: 'Examples' },
        { level: 2, id: 'operations', text: 'Operations' },
      ],
      entries: [],
    }),
    ...tags.map((tag, index) => writeTagPage(tag, index + 1, reference)),
    createPage({
      title: 'Schemas',
      description: `All ${schemaNames.length} named forms of bodies and answers, with their fields and rules.`,
      order: 900,
      address: schemasAddress,
      content: writeSchemasPage(reference),
      headings: schemaNames
        .filter((name) => !name.startsWith('__'))
        .map((name) => ({ level: 2, id: name, text: name })),
      entries: schemaNames.map((name) => ({
        anchor: name,
        title: name,
        text: `Schema ${name}`,
        words: Object.keys(reference.resolve(document.components.schemas[name] ?? {}).properties ?? {}).join(' '),
      })),
    }),
    createPage({
      title: 'Error codes',
      description: `All ${codes.length} codes that the API answers with: the status, what each means and what to do about it.`,
      order: 901,
      address: errorsAddress,
      content: writeErrorsPage(operations),
      headings: codes.map((code) => ({ level: 2, id: code, text: code })),
      entries: Object.entries(problemKinds).map(([code, { meaning, status }]) => ({
        anchor: code,
        title: code,
        text: `${status}. ${meaning}`,
      })),
    }),
  ];
}

function writeTagPage(tag: Tag, order: number, reference: Reference): Page {
  const { name, address, operations } = tag;
  const view = { reference, from: address, depth: 2 };
  return createPage({
    title: name,
    description: describeTag(tag),
    order,
    address,
    content: html`${operations.map((operation) => writeOperation(operation, view))}`,
    headings: operations.map(({ operationId, summary }) => ({ level: 2, id: operationId, text: summary })),
    entries: operations.map((operation) => ({
      anchor: operation.operationId,
      title: operation.summary,
      text: `${operation.method} ${operation.path} ${operation.description ?? ''}`,
      words: `${operation.operationId} ${operation.parameters.map((parameter) => parameter.name).join(' ')}`,
    })),
  });
}

/** Describes how many operations a page has and who may call them. */
function describeTag({ operations }: Tag): string {
  const scopes = [...new Set(operations.flatMap((operation) => operation['x-scope'] ?? []))];
  const wanted = scopes.length === 0 ? '' : `, with the scopes ${scopes.join(', ')}`;
  return `${operations.length} operations${wanted}: what they take, what they answer, and how to call them.`;
}

interface Made {
  readonly title: string;
  readonly description: string;
  readonly order: number;
  readonly address: string;
  readonly content: Markup;
  readonly headings: readonly Heading[];
  readonly entries: readonly SearchEntry[];
}

function createPage({ content, entries, ...made }: Made): Page {
  return {
    ...made,
    file,
    section: 'reference',
    content: String(content),
    links: [],
    outerLinks: [],
    entries: [{ anchor: '', title: made.title, text: made.description }, ...entries],
    kind: 'reference',
    extras: [],
    widgets: [],
  };
}
