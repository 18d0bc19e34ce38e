// Puts the address of this server into the tags of widgets that a page shows, where there is a server.
import { serverPlaceholder } from '../site/placeholders.ts';
import { readServerFacts } from './server-facts.ts';

const facts = await readServerFacts();
if (facts !== null)
  for (const code of document.querySelectorAll('[data-tag] code')) {
    for (const part of walkTexts(code)) part.data = part.data.replaceAll(serverPlaceholder, facts.baseUrl);
  }

function* walkTexts(element: Element): Generator<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield walker.currentNode as Text;
}
