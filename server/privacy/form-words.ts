import type { dsrTypes } from './dsr.ts';

/** The texts of the public pages. `{days}` and `{email}` stand for values. */
export interface FormWords {
  readonly title: string;
  readonly lead: string;
  readonly due: string;
  readonly type: string;
  readonly choose: string;
  readonly types: Readonly<Record<(typeof dsrTypes)[number], string>>;
  readonly email: string;
  readonly emailHint: string;
  readonly name: string;
  readonly message: string;
  readonly messageHint: string;
  readonly optional: string;
  readonly send: string;
  readonly typeMissing: string;
  readonly emailInvalid: string;
  readonly nameInvalid: string;
  readonly messageInvalid: string;
  readonly failed: string;
  readonly limited: string;
  readonly received: string;
  readonly keep: string;
  readonly reference: string;
  readonly answerBy: string;
  readonly contact: string;
  readonly confirmTitle: string;
  readonly confirmLead: string;
  readonly confirm: string;
  readonly confirmed: string;
  readonly confirmedHint: string;
  readonly linkOver: string;
  readonly missing: string;
  readonly missingHint: string;
  readonly noScriptConfirm: string;
}

const en: FormWords = {
  title: 'Request about your personal data',
  lead: 'Ask what is stored about you, have it corrected or erased, or object to its use.',
  due: 'You get an answer within {days} days of receipt.',
  type: 'What do you ask for?',
  choose: 'Choose',
  types: {
    access: 'A copy of my data',
    erasure: 'Erase my data',
    rectification: 'Correct my data',
    portability: 'My data in a format for another service',
    restriction: 'Restrict the use of my data',
    objection: 'I object to the use of my data',
  },
  email: 'E-mail address',
  emailHint: 'The answer goes there. You may be asked to confirm that it is yours.',
  name: 'Name',
  message: 'Message',
  messageHint: 'Anything that helps to find your data. Do not send identity documents.',
  optional: 'optional',
  send: 'Send request',
  typeMissing: 'Choose what you ask for.',
  emailInvalid: 'Enter an e-mail address, such as name@example.com.',
  nameInvalid: 'Enter a name of one line and at most 200 characters.',
  messageInvalid: 'Enter a message of at most 2000 characters.',
  failed: 'This did not work. Try again in a moment.',
  limited: 'Too many requests were sent. Try again later.',
  received: 'Your request was received',
  keep: 'Keep the reference: it identifies your request.',
  reference: 'Reference',
  answerBy: 'Answer by',
  contact: 'You can also write to {email}.',
  confirmTitle: 'Confirm your address',
  confirmLead: 'This confirms that the request about your personal data came from you.',
  confirm: 'Confirm',
  confirmed: 'Your address is confirmed',
  confirmedHint: 'You can close this page.',
  linkOver: 'This link is unknown, used or expired. Ask for a new one.',
  missing: 'No form here',
  missingHint: 'There is no form at this address. It may be mistyped, or no longer in use: ask the company.',
  noScriptConfirm: 'This page needs JavaScript. Open it in another browser, or answer the mail instead.',
};

const de: FormWords = {
  title: 'Anfrage zu Ihren personenbezogenen Daten',
  lead: 'Fragen Sie, was über Sie gespeichert ist, lassen Sie es berichtigen oder löschen, oder widersprechen Sie der Nutzung.',
  due: 'Sie erhalten innerhalb von {days} Tagen nach Eingang eine Antwort.',
  type: 'Was möchten Sie?',
  choose: 'Bitte wählen',
  types: {
    access: 'Eine Kopie meiner Daten',
    erasure: 'Meine Daten löschen lassen',
    rectification: 'Meine Daten berichtigen lassen',
    portability: 'Meine Daten in einem Format für einen anderen Dienst',
    restriction: 'Die Nutzung meiner Daten einschränken',
    objection: 'Der Nutzung meiner Daten widersprechen',
  },
  email: 'E-Mail-Adresse',
  emailHint: 'Dorthin geht die Antwort. Vielleicht werden Sie gebeten zu bestätigen, dass es Ihre ist.',
  name: 'Name',
  message: 'Nachricht',
  messageHint: 'Alles, was hilft, Ihre Daten zu finden. Senden Sie keine Ausweise.',
  optional: 'freiwillig',
  send: 'Anfrage senden',
  typeMissing: 'Wählen Sie, was Sie möchten.',
  emailInvalid: 'Geben Sie eine E-Mail-Adresse ein, etwa name@example.com.',
  nameInvalid: 'Geben Sie einen Namen von einer Zeile und höchstens 200 Zeichen ein.',
  messageInvalid: 'Geben Sie eine Nachricht von höchstens 2000 Zeichen ein.',
  failed: 'Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.',
  limited: 'Es wurden zu viele Anfragen gesendet. Versuchen Sie es später noch einmal.',
  received: 'Ihre Anfrage ist eingegangen',
  keep: 'Bewahren Sie das Zeichen auf: Es bezeichnet Ihre Anfrage.',
  reference: 'Zeichen',
  answerBy: 'Antwort bis',
  contact: 'Sie können auch an {email} schreiben.',
  confirmTitle: 'Adresse bestätigen',
  confirmLead: 'Damit bestätigen Sie, dass die Anfrage zu Ihren personenbezogenen Daten von Ihnen kam.',
  confirm: 'Bestätigen',
  confirmed: 'Ihre Adresse ist bestätigt',
  confirmedHint: 'Sie können diese Seite schließen.',
  linkOver: 'Dieser Link ist unbekannt, benutzt oder abgelaufen. Bitten Sie um einen neuen.',
  missing: 'Hier ist kein Formular',
  missingHint:
    'Unter dieser Adresse gibt es kein Formular. Vielleicht ist sie falsch geschrieben oder nicht mehr in Gebrauch: Fragen Sie das Unternehmen.',
  noScriptConfirm:
    'Diese Seite braucht JavaScript. Öffnen Sie sie in einem anderen Browser, oder antworten Sie auf die E-Mail.',
};

const fr: FormWords = {
  title: 'Demande concernant vos données personnelles',
  lead: 'Demandez ce qui est enregistré sur vous, faites-le corriger ou effacer, ou opposez-vous à son utilisation.',
  due: 'Vous recevrez une réponse dans les {days} jours suivant la réception.',
  type: 'Que demandez-vous ?',
  choose: 'Choisissez',
  types: {
    access: 'Une copie de mes données',
    erasure: 'Effacer mes données',
    rectification: 'Corriger mes données',
    portability: 'Mes données dans un format pour un autre service',
    restriction: 'Limiter l’utilisation de mes données',
    objection: 'M’opposer à l’utilisation de mes données',
  },
  email: 'Adresse e-mail',
  emailHint: 'La réponse y sera envoyée. On pourra vous demander de confirmer que c’est la vôtre.',
  name: 'Nom',
  message: 'Message',
  messageHint: 'Tout ce qui aide à trouver vos données. N’envoyez pas de pièce d’identité.',
  optional: 'facultatif',
  send: 'Envoyer la demande',
  typeMissing: 'Choisissez ce que vous demandez.',
  emailInvalid: 'Saisissez une adresse e-mail, par exemple nom@example.com.',
  nameInvalid: 'Saisissez un nom d’une ligne et de 200 caractères au plus.',
  messageInvalid: 'Saisissez un message de 2000 caractères au plus.',
  failed: 'Cela n’a pas fonctionné. Réessayez dans un instant.',
  limited: 'Trop de demandes ont été envoyées. Réessayez plus tard.',
  received: 'Votre demande a été reçue',
  keep: 'Conservez la référence : elle identifie votre demande.',
  reference: 'Référence',
  answerBy: 'Réponse avant le',
  contact: 'Vous pouvez aussi écrire à {email}.',
  confirmTitle: 'Confirmez votre adresse',
  confirmLead: 'Vous confirmez ainsi que la demande concernant vos données personnelles vient de vous.',
  confirm: 'Confirmer',
  confirmed: 'Votre adresse est confirmée',
  confirmedHint: 'Vous pouvez fermer cette page.',
  linkOver: 'Ce lien est inconnu, utilisé ou expiré. Demandez-en un nouveau.',
  missing: 'Aucun formulaire ici',
  missingHint:
    'Il n’y a pas de formulaire à cette adresse. Elle est peut-être mal saisie ou n’est plus utilisée : demandez à l’entreprise.',
  noScriptConfirm: 'Cette page nécessite JavaScript. Ouvrez-la dans un autre navigateur, ou répondez à l’e-mail.',
};

/** The texts in each language that the pages have. */
export const formWords = { en, de, fr } as const;
