import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkForm } from './block-forms.ts';
import { readBlocks } from './code-blocks.ts';
import { checkTypes, createProgramFolder, writePrograms } from './program-blocks.ts';
import { checkShellSyntax, matchesOutput } from './shell-blocks.ts';

const good: Readonly<Record<string, string>> = {
  json: '{"a": [1]}',
  http: 'POST /v1/dsr HTTP/1.1\nContent-Type: application/json\n\n{"a": 1}',
  html: '<!doctype html>\n<p>One<br>two</p>\n<script src="a.js"></script>',
  nginx: 'server {\n  listen 443 ssl;\n}',
  caddy: 'example.com {\n  reverse_proxy 127.0.0.1:8787\n}',
  systemd: '[Service]\n# Why\nExecStart=/usr/bin/node server/main.js\nUser=svc',
  yaml: 'services:\n  svc:\n    ports:\n      - 8787:8787',
  dockerfile: 'FROM node:24\nRUN npm ci \\\n  --omit=dev\nCMD ["node", "server/main.js"]',
  sql: "select 'it' from t where (a = 1);",
};

const bad: Readonly<Record<string, string>> = {
  json: '{"a": 1,}',
  http: 'Content-Type: application/json\n\n{}',
  html: '<p>One <b>two</p>',
  nginx: 'server {\n  listen 443 ssl\n}',
  caddy: 'example.com {\n  reverse_proxy 127.0.0.1:8787\n',
  systemd: '[Service]\nExecStart /usr/bin/node',
  yaml: 'services:\n\tsvc:',
  dockerfile: 'FORM node:24',
  sql: 'select (1;',
};

describe('what looks at blocks of code', () => {
  test('takes each form as it should be and finds what is wrong with it', () => {
    for (const [language, code] of Object.entries(good)) assert.equal(checkForm(language, code), null, language);
    for (const [language, code] of Object.entries(bad)) assert.notEqual(checkForm(language, code), null, language);
  });

  test('finds every fence, also in containers and lists, with its line', () => {
    const head = '---\ntitle: A page\ndescription: A page with some fences.\norder: 1\n---\n';
    const body =
      'Text\n\n```sh\nls\n```\n\n::: tabs\n```sh title="curl"\npwd\n```\n:::\n\n1. One\n\n   ```ts\n   let a;\n   ```\n';
    const blocks = readBlocks('a.md', head + body);
    assert.deepEqual(
      blocks.map(({ code, line }) => [code, line]),
      [
        ['ls\n', 8],
        ['pwd\n', 13],
        ['let a;\n', 20],
      ],
    );
  });

  test('compares an output with its pattern as a whole', () => {
    assert.ok(matchesOutput('{"id":"1","n":2}\n', '{"id":"…","n":2}'));
    assert.ok(matchesOutput('first\nmiddle\nlast', 'first\n…\nlast'));
    assert.ok(!matchesOutput('{"id":"1","n":3}', '{"id":"…","n":2}'));
    assert.ok(!matchesOutput('more than that', 'that'));
  });

  test('reads shell that is not run', () => {
    assert.equal(checkShellSyntax('for a in b; do echo "$a"; done'), null);
    assert.notEqual(checkShellSyntax('for a in b; echo'), null);
  });

  test('finds wrong types, those of our packages too', () => {
    const folder = createProgramFolder();
    try {
      const code = "import { Svc } from '@svc/node-sdk';\nawait new Svc().audit.list({ nothing: 1 });\n";
      const block = { language: 'ts', code, isRun: true, line: 1 };
      writePrograms([{ page: 'a/page', blocks: [block] }], folder);
      assert.match(checkTypes(folder), /nothing/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
