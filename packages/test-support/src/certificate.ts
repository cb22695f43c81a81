import { execFileSync } from 'node:child_process'

/** In PEM, as `node:tls` takes them. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Creates a self-signed certificate for these host names, valid for a day. */
export function createCertificate(names: readonly string[]): Certificate {
  const alternatives = names.map((name) => `DNS:${name}`).join()
  const pem = execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '1', '-subj', '/CN=test', '-addext', `subjectAltName=${alternatives}`],
      ...['-keyout', '-', '-out', '-'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const start = pem.indexOf('-----BEGIN CERTIFICATE')
  return { key: pem.slice(0, start), cert: pem.slice(start) }
}
