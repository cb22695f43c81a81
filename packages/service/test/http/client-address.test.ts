import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createClientAddresses } from '../../src/http/client-address.ts'

const proxies = '10.0.0.0/8, 2001:db8:ffff::/48, 192.0.2.9'

function addresses(setting: string | undefined) {
  return createClientAddresses(readConfig({}, { PI_TRUSTED_PROXIES: setting }).trustedProxies)
}

function addressOf(
  setting: string | undefined,
  peer: string,
  headers: Record<string, string> = {},
): string | undefined {
  const request = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage
  return addresses(setting).ofRequest(request)
}

test.each([
  [undefined, '203.0.113.7', undefined],
  ['', '203.0.113.7', undefined],
  ['none', '203.0.113.7', '203.0.113.7'],
  ['none', '::ffff:203.0.113.7', '203.0.113.7'],
  ['none', '', undefined],
] as const)('ignores headers with PI_TRUSTED_PROXIES=%s and peer %s', (setting, peer, client) => {
  const claimed = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' }
  expect(addressOf(setting, peer, claimed)).toBe(client)
})

test.each([
  ['the only hop', '203.0.113.7', '203.0.113.7'],
  ['the last hop, not one that the client wrote', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['the hop before trusted ones', '203.0.113.7, 10.1.2.3,192.0.2.9', '203.0.113.7'],
  ['no hop if all are trusted', '10.9.9.9, 10.1.2.3', undefined],
  ['no hop before one without an address', '203.0.113.7, unknown, 10.1.2.3', undefined],
  ['a hop with a port', '203.0.113.7:41952', '203.0.113.7'],
  ['the /64 network of an IPv6 hop', '2001:DB8:0:1:a:b:c:d', '2001:db8:0:1::/64'],
  ['the /64 network of a short IPv6 hop', '2001:db8::1', '2001:db8:0:0::/64'],
  ['an IPv6 hop with a port', '[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
  ['an IPv4 hop that is mapped into IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
  ['the hop before a trusted mapped one', '203.0.113.7, ::ffff:a01:203', '203.0.113.7'],
  ['an IPv6 hop with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nothing from an empty header', '', undefined],
  ['nothing from a name', 'shop.example', undefined],
  ['nothing from an octal look-alike', '0203.0.113.7', undefined],
] as const)('takes %s of X-Forwarded-For', (_, header, client) => {
  expect(addressOf(proxies, '::ffff:10.0.0.2', { 'x-forwarded-for': header })).toBe(client)
})

test.each([
  ['the only hop', 'for=203.0.113.7;proto=https;by=10.0.0.2', '203.0.113.7'],
  ['the last hop', 'for=198.51.100.1, For="203.0.113.7:80"', '203.0.113.7'],
  ['the hop before trusted ones', 'for=203.0.113.7,proto=http;for=10.0.0.9', '203.0.113.7'],
  ['a quoted IPv6 hop', 'for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe:0::/64'],
  ['nothing if the last hop is hidden', 'for=203.0.113.7, for=_hidden', undefined],
  ['nothing if the last hop has no "for"', 'for=203.0.113.7, proto=https', undefined],
  ['nothing if a quotation mark stays open', 'for="198.51.100.1, for=203.0.113.7', undefined],
  ['a hop after a quoted comma', 'for="_a, for=198.51.100.1", for=203.0.113.7', '203.0.113.7'],
] as const)('takes %s of Forwarded', (_, header, client) => {
  expect(addressOf(proxies, '10.0.0.2', { forwarded: header })).toBe(client)
})

test('knows no address if the two headers name different clients (threat 32)', () => {
  const both = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=198.51.100.1' }
  expect(addressOf(proxies, '10.0.0.2', both)).toBeUndefined()
  const same = { ...both, forwarded: 'for=203.0.113.7' }
  expect(addressOf(proxies, '10.0.0.2', same)).toBe('203.0.113.7')
})

test('ignores the headers of a client that is no trusted proxy (threat 32)', () => {
  const claimed = { 'x-forwarded-for': '203.0.113.7' }
  expect(addressOf(proxies, '198.51.100.1', claimed)).toBe('198.51.100.1')
})

test('takes time in proportion to the length of a header', () => {
  const begin = process.cpuUsage()
  for (const header of [
    'for="'.repeat(3000),
    `for="${'\\'.repeat(15_000)}`,
    ' '.repeat(16_000),
    '1'.repeat(16_000),
    `[${'a'.repeat(16_000)}`,
  ]) {
    addressOf(proxies, '10.0.0.2', { forwarded: header, 'x-forwarded-for': header })
  }
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
})

test.each([
  [undefined, '10.0.0.2', proxies],
  ['203.0.113.7', '203.0.113.7', proxies],
  ['10.0.0.2', '10.0.0.2', 'none'],
  [undefined, '203.0.113.7', undefined],
] as const)('knows %s of a connection from %s with %s', (client, remoteAddress, setting) => {
  expect(addresses(setting).ofSocket({ remoteAddress } as Socket)).toBe(client)
})
