const person = 'acts on the person who is signed in, whose session a browser keeps in a cookie';
const page = 'is for the sign-in page of the server, and rejects requests from elsewhere';
const client = 'is called by the client itself, which holds the access token and asks for the next one in time';

/** The operations that no resource has a method for, by their ids, each with the reason. */
export const leftOutOperations = {
  signIn: page,
  answerChallenge: page,
  acceptInvitation: page,
  signOut: person,
  changePassword: person,
  getMe: person,
  listMySessions: person,
  endMyOtherSessions: person,
  endMySession: person,
  getMfaStatus: person,
  enrollTotp: person,
  verifyTotp: person,
  disableTotp: person,
  replaceBackupCodes: person,
  issueAccessToken: client,
  revokeAccessToken: client,
} as const;
