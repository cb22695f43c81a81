/**
 * Finds the address of the client that sent a request.
 *
 * Behind a proxy all connections come from the proxy, and a client can send any address in a header.
 * So an address is known only if `PI_TRUSTED_PROXIES` is set, and is that of the last hop that is not
 * a trusted proxy. A limit for an unknown address would limit all clients together.
 *
 * @see RFC 7239, Forwarded HTTP Extension
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net'
import { SettingError } from '../explained-error.ts'
import { quote } from '../redact.ts'

/** Finds client addresses. For IPv6, an address is the /64 network, because a subscriber has all of it. */
export interface ClientAddresses {
  ofRequest(request: IncomingMessage): string | undefined
  /** Returns the socket's address, or `undefined` if it is unknown or that of a trusted proxy. */
  ofSocket(socket: Socket): string | undefined
  /** Returns the address of the other end, which may be a proxy. It is empty if the connection has closed. */
  ofPeer(socket: Socket): string
}

/** @param proxies - Trusted proxies. Empty if clients connect directly, `undefined` if unknown. */
export function createClientAddresses(proxies: BlockList | undefined): ClientAddresses {
  if (!proxies) return { ofRequest: () => undefined, ofSocket: () => undefined, ofPeer }
  const isProxy = (address: string): boolean => proxies.check(address, familyOf(address))

  /** Returns the last hop that is not a proxy, or `undefined` if there is none or a hop has no address. */
  function clientOf(hops: readonly string[]): string | undefined {
    for (const hop of hops.toReversed()) {
      const address = readHop(hop)
      if (address === undefined || !isProxy(address)) return address
    }
    return undefined
  }

  return {
    ofRequest: ({ headers, socket }) => {
      const peer = readAddress(socket.remoteAddress ?? '')
      if (peer === undefined) return undefined
      if (!isProxy(peer)) return networkOf(peer)
      const { 'x-forwarded-for': xForwardedFor, forwarded } = headers
      const named = [
        ...(xForwardedFor === undefined ? [] : [clientOf(String(xForwardedFor).split(','))]),
        ...(forwarded === undefined ? [] : [clientOf(forwardedHops(forwarded))]),
      ]
      // A proxy that sets one header forwards the other unchanged from the client, so both must agree.
      const [client, other = client] = named
      return client !== undefined && client === other ? networkOf(client) : undefined
    },
    ofSocket: ({ remoteAddress = '' }) => {
      const peer = readAddress(remoteAddress)
      return peer === undefined || isProxy(peer) ? undefined : networkOf(peer)
    },
    ofPeer,
  }
}

function ofPeer({ remoteAddress = '' }: Socket): string {
  const peer = readAddress(remoteAddress)
  return peer === undefined ? '' : networkOf(peer)
}

/** Reads `PI_TRUSTED_PROXIES`: addresses and CIDR ranges, separated by commas, or `none`. */
export function readTrustedProxies(text: string | undefined): BlockList | undefined {
  if (!text) return undefined
  const proxies = new BlockList()
  if (text === 'none') return proxies
  for (const entry of text.split(',')) addEntry(proxies, entry.trim())
  return proxies
}

function addEntry(proxies: BlockList, entry: string): void {
  const [host = '', prefix, ...rest] = entry.split('/')
  const address = readAddress(host)
  if (address === undefined || rest.length > 0) throw invalidEntry(entry)
  const family = familyOf(address)
  if (prefix === undefined) {
    proxies.addAddress(address, family)
    return
  }
  const maxLength = family === 'ipv4' ? 32 : 128
  const length = Number(prefix)
  // With a prefix of 0 every client would be a trusted proxy and could send any address.
  if (!/^\d{1,3}$/.test(prefix) || length < 1 || length > maxLength) throw invalidEntry(entry)
  proxies.addSubnet(address, length, family)
}

function invalidEntry(entry: string): SettingError {
  return new SettingError(
    `PI_TRUSTED_PROXIES: must be IP addresses and CIDR ranges with a prefix of at least 1, separated by commas, or "none"; received ${quote(entry)}. Set for example 10.0.0.0/8,2001:db8::1, or none if clients connect directly.`,
  )
}

/** Returns the `for` parameters of a `Forwarded` header, or an unknown hop if the header is invalid. */
function forwardedHops(header: string): readonly string[] {
  const hops = ['']
  const pair = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))[ \t]*(?:([;,])|$)/gy
  while (pair.lastIndex < header.length) {
    const match = pair.exec(header)
    if (!match) return ['']
    const [, name = '', quoted, token = '', separator] = match
    if (name.toLowerCase() === 'for') hops[hops.length - 1] = quoted ?? token
    if (separator === ',') hops.push('')
  }
  return hops
}

/** Reads an address with or without a port. Returns `undefined` for `unknown`, names, and invalid text. */
function readHop(hop: string): string | undefined {
  const text = hop.trim()
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return readAddress(ipv6 ?? ipv4 ?? text)
}

/** Returns an address in its canonical form without a zone. IPv4-mapped IPv6 becomes IPv4. */
function readAddress(text: string): string | undefined {
  const [plain = ''] = text.split('%', 1)
  if (isIP(plain) === 0) return undefined
  const { address } = new SocketAddress({ address: plain, family: familyOf(plain) })
  const mapped = address.replace(/^::ffff:/, '')
  return isIP(mapped) === 4 ? mapped : address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}

/** Returns an IPv4 address, or the /64 network of an IPv6 address. */
function networkOf(address: string): string {
  if (familyOf(address) === 'ipv4') return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
