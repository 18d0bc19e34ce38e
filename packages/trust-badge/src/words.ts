/** The badge's own words. `updated` precedes "3 days ago", and precedes `on` with a date. */
export type Words = readonly [kicker: string, cta: string, updated: string, on: string, powered: string, close: string];

export const catalogue: Readonly<Record<string, Words>> = {
  en: ['Trust center', 'View trust center', 'Updated ', 'on ', 'Powered by Svc', 'Close'],
  fr: ['Centre de confiance', 'Voir le centre de confiance', 'Mis à jour ', 'le ', 'Propulsé par Svc', 'Fermer'],
  de: ['Trust Center', 'Trust Center ansehen', 'Aktualisiert ', 'am ', 'Betrieben mit Svc', 'Schließen'],
  es: ['Centro de confianza', 'Ver el centro de confianza', 'Actualizado ', 'el ', 'Con tecnología de Svc', 'Cerrar'],
  pt: ['Centro de confiança', 'Ver o centro de confiança', 'Atualizado ', 'em ', 'Com tecnologia Svc', 'Fechar'],
  ar: ['مركز الثقة', 'عرض مركز الثقة', 'آخر تحديث: ', '', 'بدعم من Svc', 'إغلاق'],
};
