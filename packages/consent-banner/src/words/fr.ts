import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Votre vie privée, votre choix',
  intro:
    '{controller} vous demande votre consentement pour utiliser vos données aux fins suivantes : {purposes}. Vous êtes libre de choisir et pouvez changer d’avis à tout moment.',
  reject: 'Tout refuser',
  accept: 'Tout accepter',
  preferences: 'Préférences',
  panelTitle: 'Préférences de confidentialité',
  panelIntro:
    'Choisissez à quelles fins {controller} peut utiliser vos données. Vous pouvez changer d’avis à tout moment.',
  required: 'Toujours actif',
  save: 'Enregistrer mes choix',
  close: 'Fermer',
  privacySignal:
    'Votre navigateur demande aux sites de ne ni vendre ni partager vos données. Rien de facultatif n’est actif tant que vous ne l’activez pas vous-même.',
  changed: 'Ce que nous vous demandons a changé depuis votre dernier choix du {date}.',
  newPurpose: 'Nouveau',
  trigger: 'Choix de confidentialité',
  placeholder: 'Ce contenu n’est pas affiché, car vous n’avez pas autorisé : {label}.',
  placeholderAllow: 'Autoriser {label} et afficher le contenu',
  receipt: 'Reçu de votre choix',
  decidedAt: 'Votre choix du {date}',
  granted: 'Autorisé',
  refused: 'Refusé',
  pending: 'La preuve sera ajoutée au reçu dès que le serveur aura répondu.',
  download: 'Enregistrer le reçu',
  list: '{first}, {next} et {last}',
};
