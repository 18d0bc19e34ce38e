import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Din integritet, ditt val',
  intro:
    '{controller} ber om ditt samtycke till att använda dina uppgifter för: {purposes}. Valet är fritt och du kan ändra det när som helst.',
  reject: 'Avvisa allt',
  accept: 'Acceptera allt',
  preferences: 'Inställningar',
  panelTitle: 'Integritetsinställningar',
  panelIntro: 'Välj vad {controller} får använda dina uppgifter till. Du kan ändra detta när som helst.',
  required: 'Alltid på',
  save: 'Spara val',
  close: 'Stäng',
  privacySignal:
    'Din webbläsare ber webbplatser att inte sälja eller dela dina uppgifter. Inget valfritt är på om du inte själv slår på det.',
  changed: 'Det vi ber om har ändrats sedan ditt senaste val den {date}.',
  newPurpose: 'Nytt',
  trigger: 'Integritetsval',
  placeholder: 'Innehållet visas inte, eftersom du inte har tillåtit: {label}.',
  placeholderAllow: 'Tillåt {label} och visa innehållet',
  receipt: 'Kvitto på ditt val',
  decidedAt: 'Ditt val den {date}',
  granted: 'Tillåtet',
  refused: 'Avvisat',
  pending: 'Beviset läggs till i kvittot så snart servern har svarat.',
  download: 'Spara kvittot',
  list: '{first}, {next} och {last}',
};
