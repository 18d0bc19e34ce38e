type Bytes = Uint8Array<ArrayBuffer>;

/** Whether a signature of some bytes is that of the key. */
export type VerifyEd25519 = (signature: Bytes, signed: Bytes) => boolean | Promise<boolean>;

/** Ed25519 (RFC 8032, section 5.1.7) as a platform has it. */
export interface Ed25519 {
  /** Makes what verifies by a public key: the 32 bytes of RFC 8032, section 5.1.5. */
  importKey(bytes: Bytes): VerifyEd25519 | Promise<VerifyEd25519>;
}
