import type { HostCookie } from '../access/host-cookie.ts';
import type { Installation } from '../installation/installation.ts';
import type { SessionLifetime } from '../settings.ts';
import type { PasswordQueue } from './password-queue.ts';
import type { SignInGuard } from './sign-in-guard.ts';

/** What the operations on people and their sign-in work with. */
export interface IdentityServices extends Pick<Installation, 'database' | 'clock' | 'hasher' | 'box'> {
  readonly passwords: PasswordQueue;
  readonly guard: SignInGuard;
  readonly sessionCookie: HostCookie;
  readonly sessionLifetime: SessionLifetime;
}
