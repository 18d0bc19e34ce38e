/**
 * What the banner says where the notice has no text of its own. The server fills `{controller}` and `{purposes}` at
 * publication; the browser fills the other placeholders.
 */
export const words = {
  title: 'Your privacy, your choice',
  /** GDPR Article 7(3) and Recital 42: the choice is free and can be changed at any time. */
  intro:
    '{controller} asks for your consent to use your data for: {purposes}. The choice is free, and you can change it at any time.',
  /** Only for the server: how the first names of many purposes are followed by the number of the others. */
  others: '{purposes} and {count} more',
  /** Shows the rest of a text that was cut off. */
  more: 'More',
  less: 'Less',
  reject: 'Reject all',
  accept: 'Accept all',
  preferences: 'Preferences',
  panelTitle: 'Privacy preferences',
  panelIntro: 'Choose what {controller} may use your data for. You can change this at any time.',
  /** Beside a purpose that cannot be refused. */
  required: 'Always on',
  /** Beside a purpose of the basis `object`. */
  objectable: 'On unless you object',
  /** Shows the description of a purpose. */
  details: 'Details',
  save: 'Save choices',
  close: 'Close',
  /** The browser sends Global Privacy Control. */
  privacySignal:
    'Your browser asks sites not to sell or share your data. Nothing optional is on unless you turn it on.',
  /** The same where the law makes it an opt-out (California: 11 CCR 7025(c)(6)). */
  optOutHonored: 'Opt-out request honored',
  /** Opens the panel where the law is one of opting out (California: 11 CCR 7015(b)). */
  privacyChoices: 'Your Privacy Choices',
  /** The notice has another version than the one that was answered. */
  changed: 'We changed what we ask for since your last choice on {date}.',
  /** Beside a purpose that the answered version did not have. */
  newPurpose: 'New',
  /** Opens the panel again elsewhere. */
  trigger: 'Privacy choices',
  /** The links of the notice, by their names there. */
  privacyPolicy: 'Privacy policy',
  imprint: 'Imprint',
  cookiePolicy: 'Cookie policy',
  terms: 'Terms',
  withdrawal: 'Withdraw consent',
  rights: 'Your rights',
  trackers: 'Cookies and similar technologies ({count})',
  trackerName: 'Name',
  trackerProvider: 'Provider',
  trackerLifetime: 'Lifetime',
  /** Who gets the data of a tracker: the site itself. */
  firstParty: 'This site',
  thirdParty: 'Third party',
  /** Lifetimes without a duration. */
  session: 'Until the browser is closed',
  persistent: 'Until deleted',
  /** In the place of content that is held back. */
  placeholder: 'This content is not shown, because you have not allowed: {label}.',
  /** Shows the content for this page view, without a decision. */
  showOnce: 'Show once',
  loadFailed: 'This could not be loaded.',
  tryAgain: 'Try again',
  receipt: 'Receipt of your choice',
  decidedAt: 'Your choice of {date}',
  /** Above the purposes that were allowed. */
  granted: 'Allowed',
  /** Above the purposes that were not. */
  refused: 'Refused',
  /** The server has not answered yet. */
  pending: 'The receipt will have its proof as soon as the server has answered.',
  download: 'Save the receipt',
  /** How names are joined: what is between two of them, and before the last one. */
  list: '{first}, {next} and {last}',
};

/** The same in any language. */
export type Words = Readonly<Record<keyof typeof words, string>>;
