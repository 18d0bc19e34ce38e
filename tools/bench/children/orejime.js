// Sets up orejime as its documentation says, with the purposes of the notice.
window.loadOrejime({
  privacyPolicyUrl: '/privacy',
  purposes: ['Necessary', 'Statistics', 'Marketing'].map((title, index) => ({
    id: title.toLowerCase(),
    title,
    description: `${title} of the site.`,
    isMandatory: index === 0,
    cookies: [],
  })),
});
