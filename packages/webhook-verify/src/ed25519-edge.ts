import type { Ed25519 } from './asymmetric-verifier.ts';
import { fail } from './error.ts';

/** Ed25519 of WebCrypto, which not every platform has. */
export const ed25519: Ed25519 = {
  importKey: async (bytes) => {
    const key = await crypto.subtle
      .importKey('raw', bytes, 'Ed25519', false, ['verify'])
      .catch(() =>
        fail(
          'algorithm_unsupported',
          'WebCrypto of this platform has no Ed25519. Update it, or verify with secrets instead of publicKeys.',
        ),
      );
    return (signature, signed) => crypto.subtle.verify('Ed25519', key, signature, signed);
  },
};
