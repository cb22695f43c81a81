import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createClientAddresses } from '../../src/http/client-address.ts'

function addressOf(
  setting: string | undefined,
  peer: string,
  headers: Record<string, string> = {},
): string | undefined {
  const config = readConfig({}, { PI_TRUSTED_PROXIES: setting })
  const request = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage
  return createClientAddresses(config.trustedProxies).ofRequest(request)
}

test('without the setting no address is known, whatever connection and headers say', () => {
  for (const setting of [undefined, '']) {
    expect(addressOf(setting, '203.0.113.7', { 'x-forwarded-for': '198.51.100.1' })).toBeUndefined()
  }
})

test('with "none" the client is the other end of the connection', () => {
  const claimed = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' }
  expect(addressOf('none', '203.0.113.7', claimed)).toBe('203.0.113.7')
  expect(addressOf('none', '::ffff:203.0.113.7', claimed)).toBe('203.0.113.7')
  expect(addressOf('none', '', claimed)).toBeUndefined()
})

const proxies = '10.0.0.0/8, 2001:db8:ffff::/48, 192.0.2.9'

for (const [what, header, client] of [
  ['the only hop', '203.0.113.7', '203.0.113.7'],
  ['the last hop, not one that the client wrote', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['the hop before trusted ones', '203.0.113.7, 10.1.2.3,192.0.2.9', '203.0.113.7'],
  ['no hop if all are trusted', '10.9.9.9, 10.1.2.3', undefined],
  ['no hop behind one without an address', '203.0.113.7, unknown, 10.1.2.3', undefined],
  ['a hop with a port', '203.0.113.7:41952', '203.0.113.7'],
  ['the /64 network of an IPv6 hop', '2001:DB8:0:1:a:b:c:d', '2001:db8:0:1::/64'],
  ['the /64 network of a short IPv6 hop', '2001:db8::1', '2001:db8:0:0::/64'],
  ['an IPv6 hop with a port', '[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
  ['an IPv4 hop that is mapped into IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
  ['a trusted hop that is mapped into IPv6', '203.0.113.7, ::ffff:a01:203', '203.0.113.7'],
  ['an IPv6 hop with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nothing for an empty header', '', undefined],
  ['nothing for a name', 'shop.example', undefined],
  ['nothing for an octal look-alike', '0203.0.113.7', undefined],
] as const) {
  test(`from X-Forwarded-For takes ${what}`, () => {
    expect(addressOf(proxies, '::ffff:10.0.0.2', { 'x-forwarded-for': header })).toBe(client)
  })
}

for (const [what, header, client] of [
  ['the only hop', 'for=203.0.113.7;proto=https;by=10.0.0.2', '203.0.113.7'],
  ['the last hop', 'for=198.51.100.1, For="203.0.113.7:80"', '203.0.113.7'],
  ['the hop before trusted ones', 'for=203.0.113.7,proto=http;for=10.0.0.9', '203.0.113.7'],
  ['a quoted IPv6 hop', 'for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe:0::/64'],
  ['nothing if the last hop is hidden', 'for=203.0.113.7, for=_hidden', undefined],
  ['nothing if the last hop has no "for"', 'for=203.0.113.7, proto=https', undefined],
  ['nothing if a quotation mark stays open', 'for="198.51.100.1, for=203.0.113.7', undefined],
  ['a hop behind a quoted comma', 'for="_a, for=198.51.100.1", for=203.0.113.7', '203.0.113.7'],
] as const) {
  test(`from Forwarded takes ${what}`, () => {
    expect(addressOf(proxies, '10.0.0.2', { forwarded: header })).toBe(client)
  })
}

test('a client that adds the header which the proxy does not write names no other client (threat 32)', () => {
  const both = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=198.51.100.1' }
  expect(addressOf(proxies, '10.0.0.2', both)).toBeUndefined()
  expect(addressOf(proxies, '10.0.0.2', { ...both, forwarded: 'for=203.0.113.7' })).toBe(
    '203.0.113.7',
  )
})

test('a client that is no trusted proxy cannot claim an address (threat 32)', () => {
  expect(addressOf(proxies, '198.51.100.1', { 'x-forwarded-for': '203.0.113.7' })).toBe(
    '198.51.100.1',
  )
})

test('a long header takes no longer than its length', () => {
  const begin = performance.now()
  for (const header of [
    'for="'.repeat(3000),
    `for="${'\\'.repeat(15_000)}`,
    ' '.repeat(16_000),
    '1'.repeat(16_000),
    `[${'a'.repeat(16_000)}`,
  ]) {
    addressOf(proxies, '10.0.0.2', { forwarded: header, 'x-forwarded-for': header })
  }
  expect(performance.now() - begin).toBeLessThan(1000)
})

test('a connection from a proxy has no client address, one from a client has', () => {
  const of = (setting: string | undefined, remoteAddress: string) =>
    createClientAddresses(readConfig({}, { PI_TRUSTED_PROXIES: setting }).trustedProxies).ofSocket({
      remoteAddress,
    } as Socket)
  expect(of(proxies, '10.0.0.2')).toBeUndefined()
  expect(of(proxies, '203.0.113.7')).toBe('203.0.113.7')
  expect(of('none', '10.0.0.2')).toBe('10.0.0.2')
  expect(of(undefined, '203.0.113.7')).toBeUndefined()
})

for (const [setting, entry] of [
  ['10.0.0.0/33', '10.0.0.0/33'],
  ['10.0.0.1,proxy.internal', 'proxy.internal'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['2001:db8::/129', '2001:db8::/129'],
  ['10.0.0.0/8/8', '10.0.0.0/8/8'],
  ['10.0.0.0/', '10.0.0.0/'],
  ['10.0.0.1,', ''],
  ['none,10.0.0.1', 'none'],
  ['true', 'true'],
] as const) {
  test(`a start with PI_TRUSTED_PROXIES=${setting} is rejected with entry, rule and fix`, () => {
    expect(() => readConfig({}, { PI_TRUSTED_PROXIES: setting })).toThrow(
      `PI_TRUSTED_PROXIES: must be IP addresses and CIDR ranges with a prefix of at least 1, separated by commas, or "none"; received "${entry}". Set for example 10.0.0.0/8,2001:db8::1, or none if clients connect directly.`,
    )
  })
}
