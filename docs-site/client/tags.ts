// Pages that show tags of widgets: with the address of this server, where there is one.
import { readServerFacts } from './server-facts.ts';

const placeholder = 'https://consent.example.com';
const facts = await readServerFacts();
if (facts !== null)
  for (const code of document.querySelectorAll('[data-tag] code')) {
    for (const part of walkTexts(code)) part.data = part.data.replaceAll(placeholder, facts.baseUrl);
  }

function* walkTexts(element: Element): Generator<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield walker.currentNode as Text;
}
