/**
 * Self-signed certificates for tests, made without the openssl program.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 * @module
 */
import { generateKeyPairSync, sign } from 'node:crypto'

/** In PEM, as `node:tls` takes them. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Creates a self-signed certificate for these host names, valid for a day. */
export function createCertificate(names: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const ecdsaWithSha256 = sequence(hex('06082a8648ce3d040302'))
  const commonName = hex('0603550403')
  const subject = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('test')))))
  const now = Date.now()
  const subjectAltName = hex('0603551d11')
  const hosts = sequence(...names.map((name) => der(0x82, Buffer.from(name))))
  const content = sequence(
    hex('a003020102020101'), // version 3, serial number 1
    ecdsaWithSha256,
    subject,
    sequence(time(now - 60_000), time(now + 86_400_000)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, hosts)))),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey))
  const base64 = sequence(content, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

/** Encodes a value: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

/** UTCTime, such as `261122120000Z`. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds)
    .toISOString()
    .replace(/\..*|\D/g, '')
    .slice(2)
  return der(0x17, Buffer.from(`${digits}Z`))
}
