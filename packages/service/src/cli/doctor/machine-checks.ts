/** Checks what a start needs besides its store: Node.js, built pages, ports, and client addresses. @module */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { packageRoot } from '../../package-root.ts'
import { codeOf } from '../../system-error.ts'
import { type DoctorFinding, fail, ok, warn } from './doctor-finding.ts'

/** The oldest supported Node.js version, as in `engines` of package.json. */
const oldest = [20, 19] as const

export async function examineMachine(config: Config): Promise<DoctorFinding[]> {
  return [
    examineNode(process.versions.node),
    examinePages(),
    await examinePort(config.host, config.port),
    await examinePort(config.host, config.challengePort),
    ...(config.publicUrl?.startsWith('https:') ? [addressFinding(config)] : []),
  ]
}

/** Checks `PI_TRUSTED_PROXIES`, because connections of a public service come from a proxy. */
function addressFinding({ trustedProxies }: Config): DoctorFinding {
  const about = 'client addresses'
  if (trustedProxies) return ok(about, 'PI_TRUSTED_PROXIES is set, so limits count by client.')
  return warn(
    about,
    'PI_PUBLIC_URL is set but PI_TRUSTED_PROXIES is not, so no limit counts by client address.',
    'Set PI_TRUSTED_PROXIES to the addresses of your proxies, such as 127.0.0.1.',
  )
}

export function examineNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
  if (isNew) return ok('node', `Node.js ${version} is supported.`)
  return fail(
    'node',
    `Node.js ${version} is too old.`,
    `Install Node.js ${oldest.join('.')} or later.`,
  )
}

const pages = [
  ...['checkout.html', 'test-bank.html', 'error.html', 'inspector.html', 'docs.css'],
  'pi-checkout.js',
]

function examinePages(): DoctorFinding {
  const folder = join(packageRoot, 'dist/hosted')
  const missing = pages.filter((name) => !existsSync(join(folder, name)))
  if (missing.length === 0) return ok('pages', 'The hosted pages and the element are built.')
  return fail(
    'pages',
    `These are not built: ${missing.join(', ')}.`,
    'In the repository, run npm run build. Otherwise install the package again.',
  )
}

async function examinePort(host: string, port: number): Promise<DoctorFinding> {
  const about = `port ${port}`
  if (port === 0) return ok('port', 'The start selects a free port.')
  const server = createServer()
  server.listen({ host, port })
  try {
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return ok(about, `Free on ${host}.`)
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    if (code === 'EADDRINUSE' && (await isService(host, port))) {
      return ok(about, 'In use by a running pi-service.')
    }
    return fail(
      about,
      code === 'EADDRINUSE' ? 'In use by another program.' : `Cannot be opened (${code}).`,
      'Stop the other program, or set --port or PI_PORT. PI_HOST is the address.',
    )
  }
}

/** Returns whether the service uses a port. All its responses include an id of this form. */
async function isService(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const address = name.includes(':') ? `[${name}]` : name
  try {
    const signal = AbortSignal.timeout(2000)
    const { headers } = await fetch(`http://${address}:${port}/healthz`, { signal })
    return /^req_/.test(headers.get('request-id') ?? '')
  } catch {
    return false
  }
}
