/**
 * The address of the client that sent a request, where it is really known.
 *
 * Behind a proxy every connection comes from the proxy, and a header can claim any address. So an
 * address counts as known only with `PI_TRUSTED_PROXIES`, and only up to the first hop that the
 * setting does not trust. A limit that takes an unknown address for a client limits every client.
 *
 * @see RFC 7239, Forwarded HTTP Extension
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net'

/** Finds client addresses. An IPv6 client is named by its /64 network: one subscriber has all of it. */
export interface ClientAddresses {
  /** @returns `undefined` if the client's address is unknown. */
  ofRequest(request: IncomingMessage): string | undefined
  /** @returns `undefined` if the address is unknown, or is that of a trusted proxy. */
  ofSocket(socket: Socket): string | undefined
}

/**
 * Creates the finder of one instance.
 *
 * @param proxies - Addresses of the proxies, empty if clients connect directly; `undefined`: not known.
 */
export function createClientAddresses(proxies: BlockList | undefined): ClientAddresses {
  if (!proxies) return { ofRequest: () => undefined, ofSocket: () => undefined }
  const isProxy = (address: string): boolean => proxies.check(address, familyOf(address))

  /** The last hop that is no proxy; `undefined` if each is one, or if one before it has no address. */
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
      // A proxy that writes one header passes the other on as the client wrote it: both must agree.
      const [client, other = client] = named
      return client !== undefined && client === other ? networkOf(client) : undefined
    },
    ofSocket: ({ remoteAddress = '' }) => {
      const peer = readAddress(remoteAddress)
      return peer === undefined || isProxy(peer) ? undefined : networkOf(peer)
    },
  }
}

/**
 * Reads `PI_TRUSTED_PROXIES`: addresses and CIDR ranges, separated by commas, or `none`.
 *
 * @returns `undefined` if the setting is missing.
 * @throws {TypeError} If an entry is neither. The message names the entry.
 */
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
  const longest = family === 'ipv4' ? 32 : 128
  const length = Number(prefix)
  // With a prefix of 0 every client is a proxy, and can claim any address.
  if (!/^\d{1,3}$/.test(prefix) || length < 1 || length > longest) throw invalidEntry(entry)
  proxies.addSubnet(address, length, family)
}

function invalidEntry(entry: string): TypeError {
  return new TypeError(
    `PI_TRUSTED_PROXIES: must be IP addresses and CIDR ranges with a prefix of at least 1, separated by commas, or "none"; received ${JSON.stringify(entry.slice(0, 60))}. Write for example 10.0.0.0/8,2001:db8::1, or none if clients connect directly.`,
  )
}

/** The `for` parameters of a `Forwarded` header, in order; one that breaks RFC 7239 names no client. */
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

/** Reads an address with or without a port; `undefined` for `unknown`, for names, and for all else. */
function readHop(hop: string): string | undefined {
  const text = hop.trim()
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return readAddress(ipv6 ?? ipv4 ?? text)
}

/** The canonical form of an address, without a zone; IPv4 that is mapped into IPv6 becomes IPv4. */
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

/** The address itself, or the /64 network of an IPv6 address. */
function networkOf(address: string): string {
  if (familyOf(address) === 'ipv4') return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
