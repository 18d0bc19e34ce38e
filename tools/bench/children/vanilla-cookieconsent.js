// Sets up vanilla-cookieconsent as its documentation says, with the purposes of the notice.
window.CookieConsent.run({
  hideFromBots: false,
  categories: { necessary: { enabled: true, readOnly: true }, statistics: {}, marketing: {} },
  language: {
    default: 'en',
    translations: {
      en: {
        consentModal: {
          title: 'Your privacy, your choice',
          description: 'Example Ltd asks for: Necessary, Statistics, Marketing.',
          acceptAllBtn: 'Accept all',
          acceptNecessaryBtn: 'Reject all',
          showPreferencesBtn: 'Preferences',
        },
        preferencesModal: {
          title: 'Preferences',
          acceptAllBtn: 'Accept all',
          acceptNecessaryBtn: 'Reject all',
          savePreferencesBtn: 'Save choices',
          closeIconLabel: 'Close',
          sections: ['Necessary', 'Statistics', 'Marketing'].map((title) => ({
            title,
            description: `${title} of the site.`,
            linkedCategory: title.toLowerCase(),
          })),
        },
      },
    },
  },
});
