/** The address of the server in the tags that pages show; a script replaces it with the real one, where it knows it. */
export const serverPlaceholder = 'https://consent.example.com';

/** The id of the notice that the live banner shows without a server. */
export const liveNoticeId = '019aa4c2-7b1e-7d33-9c41-000000000001';
