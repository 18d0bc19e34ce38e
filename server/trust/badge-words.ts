import type { BadgeWords } from './trust-center.ts';

// Runs in browsers too, where the documentation shows the badge without a server. English is also built into the script of
// the badge.

/** In the order of the fields of `BadgeWords`. */
const catalogue = {
  ar: ['rtl', 'مركز الثقة', 'عرض مركز الثقة', 'آخر تحديث: ', 'آخر تحديث: ', 'بدعم من Svc', 'إغلاق'],
  de: [
    'ltr',
    'Trust Center',
    'Trust Center ansehen',
    'Aktualisiert ',
    'Aktualisiert am ',
    'Betrieben mit Svc',
    'Schließen',
  ],
  en: ['ltr', 'Trust center', 'View trust center', 'Updated ', 'Updated on ', 'Powered by Svc', 'Close'],
  es: [
    'ltr',
    'Centro de confianza',
    'Ver el centro de confianza',
    'Actualizado ',
    'Actualizado el ',
    'Con tecnología de Svc',
    'Cerrar',
  ],
  fr: [
    'ltr',
    'Centre de confiance',
    'Voir le centre de confiance',
    'Mis à jour ',
    'Mis à jour le ',
    'Propulsé par Svc',
    'Fermer',
  ],
  pt: [
    'ltr',
    'Centro de confiança',
    'Ver o centro de confiança',
    'Atualizado ',
    'Atualizado em ',
    'Com tecnologia Svc',
    'Fechar',
  ],
} as const satisfies Readonly<Record<string, readonly ['ltr' | 'rtl', ...string[]]>>;

/** The words for a language: of its tag, else of the tag without its last subtags (RFC 4647 section 3.4), else English. */
export function chooseBadgeWords(tag: string): BadgeWords {
  let range = tag.toLowerCase();
  while (range !== '' && !Object.hasOwn(catalogue, range)) range = range.slice(0, Math.max(0, range.lastIndexOf('-')));
  const language = (range || 'en') as keyof typeof catalogue;
  const [direction, trustCenter, view, updated, updatedOn, poweredBy, close] = catalogue[language];
  return { language, direction, trustCenter, view, updated, updatedOn, poweredBy, close };
}
