/** What the banner itself says. `{controller}` and `{purposes}` stand for the notice's own words. */
export interface Words {
  readonly title: string;
  readonly intro: string;
  readonly reject: string;
  readonly accept: string;
  readonly preferences: string;
  readonly panelTitle: string;
  readonly panelIntro: string;
  readonly required: string;
  readonly save: string;
  readonly close: string;
}

const en: Words = {
  title: 'Your privacy, your choice',
  intro:
    '{controller} asks for your consent to use your data for: {purposes}. The choice is free, and you can change it at any time.',
  reject: 'Reject all',
  accept: 'Accept all',
  preferences: 'Preferences',
  panelTitle: 'Privacy preferences',
  panelIntro: 'Choose what {controller} may use your data for. You can change this at any time.',
  required: 'Always on',
  save: 'Save choices',
  close: 'Close',
};

const fr: Words = {
  title: 'Votre vie privée, votre choix',
  intro:
    '{controller} vous demande votre accord pour utiliser vos données aux fins suivantes : {purposes}. Vous êtes libre de choisir et pouvez changer d’avis à tout moment.',
  reject: 'Tout refuser',
  accept: 'Tout accepter',
  preferences: 'Préférences',
  panelTitle: 'Préférences de confidentialité',
  panelIntro: 'Choisissez à quelles fins {controller} peut utiliser vos données. Vous pouvez en changer à tout moment.',
  required: 'Toujours actif',
  save: 'Enregistrer mes choix',
  close: 'Fermer',
};

const de: Words = {
  title: 'Ihre Privatsphäre, Ihre Wahl',
  intro:
    '{controller} bittet um Ihre Einwilligung, Ihre Daten für Folgendes zu verwenden: {purposes}. Sie entscheiden frei und können Ihre Wahl jederzeit ändern.',
  reject: 'Alle ablehnen',
  accept: 'Alle akzeptieren',
  preferences: 'Einstellungen',
  panelTitle: 'Datenschutzeinstellungen',
  panelIntro: 'Wählen Sie, wofür {controller} Ihre Daten verwenden darf. Sie können dies jederzeit ändern.',
  required: 'Immer aktiv',
  save: 'Auswahl speichern',
  close: 'Schließen',
};

const es: Words = {
  title: 'Su privacidad, su elección',
  intro:
    '{controller} le pide su consentimiento para usar sus datos con estos fines: {purposes}. Usted decide libremente y puede cambiar su elección en cualquier momento.',
  reject: 'Rechazar todo',
  accept: 'Aceptar todo',
  preferences: 'Preferencias',
  panelTitle: 'Preferencias de privacidad',
  panelIntro: 'Elija para qué puede usar sus datos {controller}. Puede cambiarlo en cualquier momento.',
  required: 'Siempre activo',
  save: 'Guardar selección',
  close: 'Cerrar',
};

const pt: Words = {
  title: 'A sua privacidade, a sua escolha',
  intro:
    '{controller} pede o seu consentimento para usar os seus dados para: {purposes}. A escolha é livre e pode ser alterada a qualquer momento.',
  reject: 'Rejeitar tudo',
  accept: 'Aceitar tudo',
  preferences: 'Preferências',
  panelTitle: 'Preferências de privacidade',
  panelIntro: 'Escolha para que {controller} pode usar os seus dados. Pode alterar isto a qualquer momento.',
  required: 'Sempre ativo',
  save: 'Guardar escolhas',
  close: 'Fechar',
};

const ar: Words = {
  title: 'خصوصيتك، قرارك',
  intro:
    'يطلب {controller} موافقتك على استخدام بياناتك للأغراض التالية: {purposes}. القرار لك، ويمكنك تغييره في أي وقت.',
  reject: 'رفض الكل',
  accept: 'قبول الكل',
  preferences: 'التفضيلات',
  panelTitle: 'تفضيلات الخصوصية',
  panelIntro: 'اختر الأغراض التي يجوز لـ {controller} استخدام بياناتك لها. يمكنك تغيير ذلك في أي وقت.',
  required: 'مفعّل دائمًا',
  save: 'حفظ الاختيارات',
  close: 'إغلاق',
};

export const catalogue: Readonly<Record<string, Words>> = { en, fr, de, es, pt, ar };
