import ar from './messages/ar.json' with { type: 'json' };
import de from './messages/de.json' with { type: 'json' };
import en from './messages/en.json' with { type: 'json' };
import es from './messages/es.json' with { type: 'json' };
import fr from './messages/fr.json' with { type: 'json' };
import pt from './messages/pt.json' with { type: 'json' };
import type { BadgeWords } from './trust-center.ts';

// Runs in browsers too, where the documentation shows the badge without a server. English is also built into the script of
// the badge.

const catalogue: Readonly<Record<string, typeof en>> = { ar, de, en, es, fr, pt };

/** The words for a language: of its tag, else of the tag without its last subtags (RFC 4647 section 3.4), else English. */
export function chooseBadgeWords(tag: string): BadgeWords {
  let range = tag.toLowerCase();
  while (range !== '' && !Object.hasOwn(catalogue, range)) range = range.slice(0, Math.max(0, range.lastIndexOf('-')));
  const language = range || 'en';
  return { language, direction: language === 'ar' ? 'rtl' : 'ltr', ...(catalogue[language] ?? en) };
}
