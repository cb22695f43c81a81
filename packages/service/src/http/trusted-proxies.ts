/** Reads the addresses of proxies, whose `X-Forwarded-For` names the client. @module */
import { isIP } from 'node:net'
import { SettingError } from '../explained-error.ts'
import { quote } from '../redact.ts'

/** Reads `PI_TRUSTED_PROXIES`: addresses and CIDR ranges, separated by commas, or `none`. */
export function readTrustedProxies(text: string | undefined): readonly string[] | undefined {
  if (!text) return undefined
  if (text === 'none') return []
  const entries = text.split(',').map((entry) => entry.trim())
  for (const entry of entries) checkEntry(entry)
  return entries
}

function checkEntry(entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/')
  const maxLength = isIP(address) === 4 ? 32 : 128
  // With a prefix of 0 every client would be a trusted proxy and could send any address.
  const isPrefix =
    prefix === undefined ||
    (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= maxLength)
  if (isIP(address) !== 0 && isPrefix && rest.length === 0) return
  throw new SettingError(
    `PI_TRUSTED_PROXIES: must be IP addresses and CIDR ranges with a prefix of at least 1, separated by commas, or "none"; received ${quote(entry)}. Set for example 10.0.0.0/8,2001:db8::1, or none if clients connect directly.`,
  )
}
