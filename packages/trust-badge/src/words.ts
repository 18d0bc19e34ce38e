/** What the badge itself says. */
export interface Words {
  readonly kicker: string;
  readonly cta: string;
  /** Before "3 days ago", and before `on` with a date. */
  readonly updated: string;
  readonly on: string;
  readonly powered: string;
  readonly close: string;
}

const en: Words = {
  kicker: 'Trust center',
  cta: 'View trust center',
  updated: 'Updated ',
  on: 'on ',
  powered: 'Powered by Svc',
  close: 'Close',
};

const fr: Words = {
  kicker: 'Centre de confiance',
  cta: 'Voir le centre de confiance',
  updated: 'Mis à jour ',
  on: 'le ',
  powered: 'Propulsé par Svc',
  close: 'Fermer',
};

const de: Words = {
  kicker: 'Trust Center',
  cta: 'Trust Center ansehen',
  updated: 'Aktualisiert ',
  on: 'am ',
  powered: 'Betrieben mit Svc',
  close: 'Schließen',
};

const es: Words = {
  kicker: 'Centro de confianza',
  cta: 'Ver el centro de confianza',
  updated: 'Actualizado ',
  on: 'el ',
  powered: 'Con tecnología de Svc',
  close: 'Cerrar',
};

const pt: Words = {
  kicker: 'Centro de confiança',
  cta: 'Ver o centro de confiança',
  updated: 'Atualizado ',
  on: 'em ',
  powered: 'Com tecnologia Svc',
  close: 'Fechar',
};

const ar: Words = {
  kicker: 'مركز الثقة',
  cta: 'عرض مركز الثقة',
  updated: 'آخر تحديث: ',
  on: '',
  powered: 'بدعم من Svc',
  close: 'إغلاق',
};

export const catalogue: Readonly<Record<string, Words>> = { en, fr, de, es, pt, ar };
