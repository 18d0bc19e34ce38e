/// <reference types="highlight.js" />
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeHtml } from '../../server/http/html.ts';

const grammars = { bash, dockerfile, http, ini, javascript, json, nginx, sql, typescript, xml, yaml };
for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar);

/** Every language that a block of code may have: what it is called on the page, and the grammar that colors it. */
export const languages: Readonly<
  Record<string, { readonly label: string; readonly grammar: keyof typeof grammars | null }>
> = {
  sh: { label: 'Shell', grammar: 'bash' },
  output: { label: 'Output', grammar: null },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  js: { label: 'JavaScript', grammar: 'javascript' },
  html: { label: 'HTML', grammar: 'xml' },
  css: { label: 'CSS', grammar: null },
  json: { label: 'JSON', grammar: 'json' },
  http: { label: 'HTTP', grammar: 'http' },
  nginx: { label: 'nginx', grammar: 'nginx' },
  caddy: { label: 'Caddyfile', grammar: null },
  ini: { label: 'INI', grammar: 'ini' },
  systemd: { label: 'systemd', grammar: 'ini' },
  toml: { label: 'TOML', grammar: 'ini' },
  yaml: { label: 'YAML', grammar: 'yaml' },
  dockerfile: { label: 'Dockerfile', grammar: 'dockerfile' },
  sql: { label: 'SQL', grammar: 'sql' },
  txt: { label: 'Text', grammar: null },
};

/** Colors code. @returns HTML. */
export function highlightCode(code: string, language: string): string {
  const grammar = languages[language]?.grammar ?? null;
  if (grammar === null) return escapeHtml(code);
  const { value } = highlighter.highlight(code, { language: grammar, ignoreIllegals: true });
  // Punctuation and the finer kinds of names have no color of their own: pages have thousands of elements fewer without them.
  return value
    .replace(/<span class="hljs-punctuation">([^<]*)<\/span>/g, '$1')
    .replace(/<span class="hljs-(\w+)[^"]*">/g, '<span class="h-$1">');
}
