import type { Language } from '../preferences.ts';

const en = {
  title: 'Set up this server',
  step: 'Step {step} of 4',
  hint: 'Your organization becomes the first tenant, and you its administrator, who also runs this server.',
  over: 'This server is set up.',
  missing:
    'This server is not set up yet. Open the link that it printed when it was started; its log has it. The link is valid for a day, and each start prints a new one.',
  docs: 'Read how to set up a server',
  skip: 'Continue without',
  notice: 'Create the first notice',
  noticeHint:
    'A notice asks the visitors of a site for consent. Choose a template, look at the preview and publish it.',
  tagHint: 'Step 4 follows there: the page “Install” of the notice has the tag to paste into your site.',
  organization: 'Organization',
  givenName: 'Given name (optional)',
  familyName: 'Family name (optional)',
};

const de: typeof en = {
  title: 'Diesen Server einrichten',
  step: 'Schritt {step} von 4',
  hint: 'Ihre Organisation wird der erste Mandant. Sie verwalten ihn und auch diesen Server.',
  over: 'Dieser Server ist eingerichtet.',
  missing:
    'Dieser Server ist noch nicht eingerichtet. Öffnen Sie den Link, den er beim Start ausgegeben hat; er steht im Log. Der Link gilt einen Tag, und jeder Start gibt einen neuen aus.',
  docs: 'Lesen, wie ein Server eingerichtet wird',
  skip: 'Weiter ohne',
  notice: 'Ersten Hinweis erstellen',
  noticeHint:
    'Ein Hinweis bittet die Besucher einer Website um ihre Einwilligung. Wählen Sie eine Vorlage, sehen Sie sich die Vorschau an und veröffentlichen Sie sie.',
  tagHint: 'Dort folgt Schritt 4: Die Seite „Einbauen“ des Hinweises zeigt das Tag für Ihre Website.',
  organization: 'Organisation',
  givenName: 'Vorname (optional)',
  familyName: 'Nachname (optional)',
};

const fr: typeof en = {
  title: 'Configurer ce serveur',
  step: 'Étape {step} sur 4',
  hint: 'Votre organisation devient la première de ce serveur. Vous l’administrez, ainsi que le serveur.',
  over: 'Ce serveur est configuré.',
  missing:
    'Ce serveur n’est pas encore configuré. Ouvrez le lien qu’il a affiché au démarrage ; il est dans son journal. Le lien est valable un jour, et chaque démarrage en affiche un nouveau.',
  docs: 'Lire comment configurer un serveur',
  skip: 'Continuer sans',
  notice: 'Créer le premier bandeau',
  noticeHint:
    'Un bandeau demande leur consentement aux visiteurs d’un site. Choisissez un modèle, regardez l’aperçu et publiez-le.',
  tagHint: 'L’étape 4 suit là : la page « Installer » du bandeau contient la balise à coller dans votre site.',
  organization: 'Organisation',
  givenName: 'Prénom (facultatif)',
  familyName: 'Nom (facultatif)',
};

/** The words of the setup, which is opened once: the other pages do not load them. */
export const setupWords: Readonly<Record<Language, typeof en>> = { en, de, fr };
