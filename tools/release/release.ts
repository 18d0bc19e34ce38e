/** The published packages, by their folders. */
export const packageFolders = [
  'packages/consent-banner',
  'packages/trust-badge',
  'packages/node-sdk',
  'packages/webhook-verify',
  'server',
] as const;

/** The platforms of archives and images: their names in Node and in Debian, which are those of OCI. */
export const platforms = [
  { node: 'linux-x64', debian: 'amd64' },
  { node: 'linux-arm64', debian: 'arm64' },
] as const;
export type Platform = (typeof platforms)[number];

/** A release that is built. */
export interface Release {
  readonly version: string;
  /** That of its commit, in seconds since 1970: the time of every file. */
  readonly time: number;
  /** The clone that it is built in. */
  readonly clone: string;
  /** The folder of the result. */
  readonly to: string;
}
