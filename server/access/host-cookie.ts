/** A cookie that only this server reads: on https its name makes browsers keep it to this host (RFC 6265bis, __Host-). */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(name: string, isSecure: boolean) {
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The value in a Cookie header; undefined without one. */
  read(header: string | undefined): string | undefined {
    const start = `${this.#name}=`;
    return header
      ?.split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(start))
      ?.slice(start.length);
  }

  /** A Set-Cookie header. @param seconds how long the browser keeps it; null until it is closed. */
  write(value: string, seconds: number | null = null): string {
    return `${this.#name}=${value}${this.#attributes}${seconds === null ? '' : `; Max-Age=${seconds}`}`;
  }

  /** A Set-Cookie header that makes the browser forget it. */
  clear(): string {
    return this.write('', 0);
  }
}
