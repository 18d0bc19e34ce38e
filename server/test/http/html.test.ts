import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { escapeHtml, html } from '../../http/html.ts';

describe('values in markup', () => {
  test('are escaped between tags and inside of quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const markup = String(html`<p title="${value}">${value}</p>`);
        assert.equal(markup.match(/[<>]/g)?.length, 4);
        assert.equal(markup.match(/"/g)?.length, 2);
        assert.ok(!escapeHtml(value).includes("'"));
        assert.doesNotMatch(escapeHtml(value), /&(?!(amp|lt|gt|quot|#39);)/);
      }),
    );
  });

  test('are displayed unchanged', () => {
    const decode = (text: string) =>
      text
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
    fc.assert(fc.property(fc.string(), (value) => assert.equal(decode(String(html`${value}`)), value)));
    assert.equal(String(html`<b>${'<script>'}</b>${1}`), '<b>&lt;script&gt;</b>1');
  });

  test('are not escaped again if they are markup, single or in lists; null is empty', () => {
    const items = ['<a>', '&'].map((text) => html`<li>${text}</li>`);
    const list = html`<ul>${items}</ul>${null}`;
    assert.equal(String(list), '<ul><li>&lt;a&gt;</li><li>&amp;</li></ul>');
    assert.equal(String(html`<div>${list}${['<', [html`<hr>`]]}</div>`), `<div>${list}&lt;<hr></div>`);
  });

  test('are not markup because they look like it', () => {
    const lookAlike = { toString: () => '<script>' };
    assert.throws(() => html`${lookAlike as never}`);
  });
});
