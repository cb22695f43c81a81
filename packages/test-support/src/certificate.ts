/** Self-signed certificates for tests, made without the openssl program. @module */
import { generate } from 'selfsigned'

/** In PEM, as `node:tls` takes them. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Creates a self-signed certificate for these host names. */
export async function createCertificate(names: readonly string[]): Promise<Certificate> {
  const altNames = names.map((value) => ({ type: 2 as const, value }))
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'test' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  return { key, cert }
}
