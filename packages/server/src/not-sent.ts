/**
 * What a transport knows better than any error code: that no byte of the request went out.
 *
 * @module
 */

/** The connection never stood: a name, a port, a certificate. The reason is the cause. */
export class NotSent extends Error {
  override readonly name = 'NotSent'

  constructor(cause: unknown) {
    super('the connection was not made', { cause })
  }
}
