/** What the bodies of SCIM name themselves by (RFC 7643 section 8.7, RFC 7644 section 3.5.2). */
export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
