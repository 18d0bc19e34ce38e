import type { BadgeWords } from './trust-center.ts';

// Runs in browsers too, where the documentation shows the badge without a server. English is also built into the script of
// the badge.

/** In the order of the fields of `BadgeWords`, from `trustCenter` on. */
const catalogue = {
  ar: ['مركز الثقة', 'عرض مركز الثقة', 'آخر تحديث: ', 'آخر تحديث: ', 'بدعم من Svc', 'إغلاق'],
  de: ['Trust Center', 'Trust Center ansehen', 'Aktualisiert ', 'Aktualisiert am ', 'Betrieben mit Svc', 'Schließen'],
  en: ['Trust center', 'View trust center', 'Updated ', 'Updated on ', 'Powered by Svc', 'Close'],
  es: [
    'Centro de confianza',
    'Ver el centro de confianza',
    'Actualizado ',
    'Actualizado el ',
    'Con tecnología de Svc',
    'Cerrar',
  ],
  fr: [
    'Centre de confiance',
    'Voir le centre de confiance',
    'Mis à jour ',
    'Mis à jour le ',
    'Propulsé par Svc',
    'Fermer',
  ],
  pt: [
    'Centro de confiança',
    'Ver o centro de confiança',
    'Atualizado ',
    'Atualizado em ',
    'Com tecnologia Svc',
    'Fechar',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The words for a language: of its tag, else of the tag without its last subtags (RFC 4647 section 3.4), else English. */
export function chooseBadgeWords(tag: string): BadgeWords {
  let range = tag.toLowerCase();
  while (range !== '' && !Object.hasOwn(catalogue, range)) range = range.slice(0, Math.max(0, range.lastIndexOf('-')));
  const language = (range || 'en') as keyof typeof catalogue;
  const [trustCenter, view, updated, updatedOn, poweredBy, close] = catalogue[language];
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  return { language, direction, trustCenter, view, updated, updatedOn, poweredBy, close };
}
