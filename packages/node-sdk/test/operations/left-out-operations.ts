const person = 'acts on the person who is signed in, whose session a browser keeps in a cookie';
const page = 'is for the sign-in page of the server, and rejects requests from elsewhere';
const platform = 'is for the people who run the server, in a session only';
const client = 'is called by the client itself, which holds the access token and asks for the next one in time';

/** The operations that no resource has a method for, by their ids, each with the reason. */
export const leftOutOperations = {
  signIn: page,
  answerChallenge: page,
  previewInvitation: page,
  acceptInvitation: page,
  resetPassword: page,
  startSession: page,
  getSetup: page,
  setUpServer: page,
  signOut: person,
  changePassword: person,
  getMe: person,
  editMe: person,
  switchTenant: person,
  listMySessions: person,
  endMyOtherSessions: person,
  endMySession: person,
  getMfaStatus: person,
  enrollTotp: person,
  verifyTotp: person,
  disableTotp: person,
  replaceBackupCodes: person,
  listTenants: platform,
  createTenant: platform,
  listPortfolio: platform,
  getSystem: platform,
  listVerifications: platform,
  startVerification: platform,
  issueAccessToken: client,
  revokeAccessToken: client,
} as const;
