import type { ApiPromise, RequestOptions, Transport } from '../transport.ts';
import type { EndedSessions, Session } from '../types/api.ts';
import type { Items } from '../types/values.ts';

/** The sessions of members in this tenant. */
export class UserSessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Gets the sessions of a member, newest first. Needs the scope `users:read`.
   * @throws {NotFoundError} `not_found`.
   */
  list(userId: string, options?: RequestOptions): ApiPromise<Items<Session>> {
    return this.#transport.request(
      { id: 'listUserSessions', method: 'GET', path: '/v1/users/{id}/sessions', parameters: { id: userId } },
      options,
    );
  }

  /**
   * Ends one session of a member. Needs the scope `users:write`, and every scope of their role.
   * @throws {NotFoundError} `not_found` for an unknown session, and for one that has ended.
   * @throws {PermissionError} `forbidden` for a member who may do more than the caller.
   */
  revoke(userId: string, sessionId: string, options?: RequestOptions): ApiPromise<EndedSessions> {
    return this.#transport.request(
      {
        id: 'revokeUserSession',
        method: 'DELETE',
        path: '/v1/users/{id}/sessions/{sessionId}',
        parameters: { id: userId, sessionId },
      },
      options,
    );
  }

  /**
   * Ends every session of a member. Needs the scope `users:write`, and every scope of their role.
   * @throws {NotFoundError} `not_found`.
   * @throws {PermissionError} `forbidden` for a member who may do more than the caller.
   */
  revokeAll(userId: string, options?: RequestOptions): ApiPromise<EndedSessions> {
    return this.#transport.request(
      {
        id: 'revokeUserSessions',
        method: 'DELETE',
        path: '/v1/users/{id}/sessions',
        parameters: { id: userId },
      },
      options,
    );
  }
}
