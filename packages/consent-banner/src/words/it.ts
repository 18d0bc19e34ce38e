import type { Words } from '../words.ts';

export const words: Words = {
  title: 'La Sua privacy, la Sua scelta',
  intro:
    '{controller} Le chiede il consenso a usare i Suoi dati per: {purposes}. La scelta è libera e può essere modificata in qualsiasi momento.',
  reject: 'Rifiuta tutto',
  accept: 'Accetta tutto',
  preferences: 'Preferenze',
  panelTitle: 'Preferenze sulla privacy',
  panelIntro:
    'Scelga per quali finalità {controller} può usare i Suoi dati. Può modificare la scelta in qualsiasi momento.',
  required: 'Sempre attivo',
  save: 'Salva le scelte',
  close: 'Chiudi',
  privacySignal:
    'Il Suo browser chiede ai siti di non vendere né condividere i Suoi dati. Nulla di facoltativo è attivo, a meno che non lo attivi Lei.',
  changed: 'Ciò che Le chiediamo è cambiato dalla Sua ultima scelta del {date}.',
  newPurpose: 'Nuovo',
  trigger: 'Scelte sulla privacy',
  placeholder: 'Questo contenuto non è mostrato perché non ha consentito: {label}.',
  placeholderAllow: 'Consenti {label} e mostra il contenuto',
  receipt: 'Ricevuta della Sua scelta',
  decidedAt: 'La Sua scelta del {date}',
  granted: 'Consentito',
  refused: 'Rifiutato',
  pending: 'La prova sarà aggiunta alla ricevuta non appena il server avrà risposto.',
  download: 'Salva la ricevuta',
  list: '{first}, {next} e {last}',
};
