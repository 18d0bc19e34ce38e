import { authentikSequences } from './authentik.ts';
import { entraSequences } from './entra.ts';
import { jumpcloudSequences } from './jumpcloud.ts';
import { keycloakSequences } from './keycloak.ts';
import { oktaSequences } from './okta.ts';
import { oneloginSequences } from './onelogin.ts';
import type { Sequence } from './sequence.ts';

/** Every sequence, in the order in which they are played. */
export const sequences: readonly Sequence[] = [
  ...entraSequences,
  ...oktaSequences,
  ...authentikSequences,
  ...keycloakSequences,
  ...jumpcloudSequences,
  ...oneloginSequences,
];
