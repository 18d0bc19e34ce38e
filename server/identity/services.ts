import type { HostCookie } from '../access/host-cookie.ts';
import type { SessionLifetime } from '../access/session-store.ts';
import type { Installation } from '../installation.ts';
import type { SignInGuard } from './sign-in-guard.ts';

/** What the operations on people and their sign-in work with. */
export interface IdentityServices extends Pick<Installation, 'database' | 'clock' | 'hasher' | 'box' | 'passwords'> {
  readonly guard: SignInGuard;
  readonly sessionCookie: HostCookie;
  /** Tells a device that a person signed in from before; see sign-in-guard.ts. */
  readonly deviceCookie: HostCookie;
  readonly sessionLifetime: SessionLifetime;
}
