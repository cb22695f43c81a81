/**
 * The threat table: each row with the tests of the packages that show its defence.
 *
 * Tests of this folder are not listed here: they carry the number of their row in their title.
 *
 * @module
 */

export interface Threat {
  readonly row: number
  readonly threat: string
  /** Tests elsewhere: file and the beginning of the title, as it stands in the source. */
  readonly shownBy?: readonly (readonly [file: string, title: string])[]
  /** What no test shows, and why. */
  readonly notShown?: string
  /** Why the threat is accepted. Its row has no tests. */
  readonly notDefended?: string
}

const client = 'packages/server/test/client.test.ts'
const configuration = 'packages/server/test/configuration.test.ts'
const handoff = 'packages/server/test/handoff.test.ts'
const verify = 'packages/server/test/verify.test.ts'
const keys = 'packages/server/test/idempotency-key.test.ts'
const bothSides = 'packages/server/test/contract.test.ts'
const contract = 'packages/contract/test/payment-intent.test.ts'
const api = 'packages/service/test/api.test.ts'
const cli = 'packages/service/test/cli.test.ts'
const store = 'packages/service/test/store.test.ts'
const faults = 'packages/service/test/faults.test.ts'
const control = 'packages/service/test/sandbox/control.test.ts'
const privateApi = 'packages/service/test/checkout/api.test.ts'
const challenge = 'packages/service/test/checkout/challenge.test.ts'
const page = 'packages/service/test/checkout/page.test.ts'
const session = 'packages/service/test/checkout/session.test.ts'
const safety = 'packages/service/test/checkout/hosted-page-safety.test.ts'
const tenancy = 'packages/service/test/tenancy.test.ts'
const rates = 'packages/service/test/rate-limit.test.ts'
const addresses = 'packages/service/test/client-address.test.ts'
const returnUrl = 'packages/service/test/checkout/return-url.test.ts'
const element = 'packages/element/test'
const shop = 'demo/test/checkout.test.ts'
const shopHeaders = 'demo/test/headers.test.ts'
const packed = '.ci/test/packages.test.mjs'

export const threats: readonly Threat[] = [
  {
    row: 1,
    threat: 'Secret key in a browser',
    shownBy: [
      [api, 'a secret key that comes from a browser is refused'],
      [configuration, 'a bundle for the browser says why this package is not in it'],
      [page, 'no key, no validation library and no source map is in what browsers load'],
    ],
  },
  {
    row: 2,
    threat: 'Key or secret in an error, a log or a tracker',
    shownBy: [[client, 'no error, client, intent or handoff prints a key or a secret']],
  },
  {
    row: 3,
    threat: 'A redirect steals body and key',
    shownBy: [[client, 'a redirect with ']],
  },
  {
    row: 4,
    threat: 'Downgrade or request forgery by base URL',
    shownBy: [[configuration, 'baseUrl may not be ']],
  },
  {
    row: 5,
    threat: 'An id walks up the path',
    shownBy: [[client, 'retrieve refuses the id ']],
  },
  {
    row: 6,
    threat: 'Answer of another intent',
    shownBy: [
      [client, 'an answer with another '],
      [client, 'retrieve refuses the answer of another intent'],
    ],
  },
  {
    row: 7,
    threat: 'Hanging or huge answer',
    shownBy: [
      [client, 'an endless answer is cut at 256 KB'],
      [client, 'the deadline covers attempts and waits together'],
    ],
  },
  {
    row: 8,
    threat: 'Foreign or other-environment intent is read',
    shownBy: [
      [api, 'unknown and malformed ids get the same 404'],
      [tenancy, 'an intent exists for its own environment only'],
    ],
  },
  { row: 9, threat: 'Key guessing' },
  {
    row: 10,
    threat: 'Key rotation and leak',
    shownBy: [
      [cli, 'a key made while the service runs works at once, and a revoked one stops at once'],
      [cli, 'secrets of the service are files for its owner only'],
    ],
  },
  { row: 11, threat: 'Ambiguous credentials' },
  {
    row: 12,
    threat: 'clientSecret in retrieve, list or error',
    shownBy: [
      [api, 'a retrieved intent is the created one without its secret'],
      [client, 'retrieve reads the intent and never lets a secret through'],
    ],
  },
  {
    row: 13,
    threat: 'clientSecret guessed or confused',
    shownBy: [[privateApi, 'every pair that is not accepted gets the same answer']],
  },
  {
    row: 14,
    threat: 'The secret outlives the payment',
    shownBy: [[privateApi, 'a settled intent can be looked at for ten minutes']],
  },
  {
    row: 15,
    threat: 'Secret or token reads too much',
    shownBy: [[privateApi, 'a session shows the merchant, the money and the order']],
  },
  {
    row: 16,
    threat: 'Sandbox powers in live',
    shownBy: [
      [control, 'for the sandbox a live environment does not exist'],
      [control, 'no control route answers for the id of a live environment'],
    ],
  },
  {
    row: 17,
    threat: 'DNS rebinding to a loopback service',
    shownBy: [
      [api, 'nothing but the API answers to a foreign host name'],
      [page, 'a name that somebody pointed at this machine gets neither page nor token'],
    ],
  },
  {
    row: 18,
    threat: 'Another tenant gets the stored answer with the secret',
    shownBy: [[api, 'a key that comes back with another body is refused']],
  },
  {
    row: 19,
    threat: 'Two bodies look equal',
    shownBy: [
      [api, 'JSON with two readings is refused: '],
      [keys, 'Unicode normal forms are different texts'],
    ],
  },
  {
    row: 20,
    threat: 'Two first requests race',
    shownBy: [
      [api, 'fifty parallel creates with one key make one intent'],
      [store, 'of fifty drafts with one key, one becomes an intent'],
    ],
  },
  {
    row: 21,
    threat: 'Header tricks',
    shownBy: [[api, 'a header that must stand once is refused when it stands twice']],
  },
  {
    row: 22,
    threat: 'Poisoned or full idempotency store',
    shownBy: [
      [api, 'a refused create leaves its key free'],
      [faults, 'while the first request with a key is held, a duplicate waits two seconds'],
    ],
  },
  {
    row: 23,
    threat: 'Prototype pollution',
    shownBy: [[contract, ' is refused with pointer and code: ']],
  },
  {
    row: 24,
    threat: 'Amount tricks',
    shownBy: [
      [api, 'is a whole number however it is written'],
      [bothSides, ' answers '],
    ],
  },
  {
    row: 25,
    threat: '"32 characters" differs by library',
    shownBy: [
      [contract, 'an order identifier of 32 code points is taken as it is'],
      [bothSides, ' answers '],
    ],
  },
  {
    row: 26,
    threat: 'Metadata bomb',
    shownBy: [[contract, ' is refused with pointer and code: ']],
  },
  {
    row: 27,
    threat: 'Body parser surprises',
    shownBy: [[api, 'a body must be JSON in UTF-8, uncompressed and at most 64 KB']],
  },
  { row: 28, threat: 'Deep nesting' },
  { row: 29, threat: 'Regular expressions that never end' },
  {
    row: 30,
    threat: 'Smuggling, odd methods and paths',
    shownBy: [[api, 'only the documented methods and paths exist']],
  },
  { row: 31, threat: 'Slow senders' },
  {
    row: 32,
    threat: 'A rate limit is evaded by X-Forwarded-For',
    shownBy: [
      [rates, 'an environment that sends too much is told when to come again'],
      [rates, 'counts the wrong keys of each client behind a trusted proxy apart'],
      [addresses, 'a client that is no trusted proxy cannot claim an address'],
      [addresses, 'a client that adds the header which the proxy does not write'],
    ],
  },
  {
    row: 33,
    threat: 'Body in log or answer',
    shownBy: [
      [
        privateApi,
        'no card number, security code, secret or session token is in the store or the log',
      ],
    ],
  },
  { row: 34, threat: 'Log injection' },
  {
    row: 35,
    threat: "Another shopper's order",
    shownBy: [[shop, 'another visitor’s order and an order that never was are the same 404']],
  },
  {
    row: 36,
    threat: 'Cross-site requests for a handoff',
    shownBy: [[handoff, 'a handoff asked for by ']],
  },
  {
    row: 37,
    threat: 'Session or handoff fixed by a sibling host; cookie copied',
    shownBy: [
      [handoff, 'a cookie of another session, order, shop or key set is as if absent'],
      [
        shopHeaders,
        'the session cookie is strong on https and keeps its plain form to this machine',
      ],
    ],
  },
  { row: 38, threat: "The victim pays the attacker's order" },
  {
    row: 39,
    threat: 'The browser sets the amount',
    shownBy: [[shop, 'a handoff takes an order and nothing else']],
  },
  { row: 40, threat: 'Secret cached' },
  {
    row: 41,
    threat: 'Two payable intents for one order',
    shownBy: [
      [shop, 'two tabs without a cookie send the same key and share one intent'],
      [
        'e2e/stories/one-intent.test.ts',
        'two tabs that open one order at once are handed one intent',
      ],
    ],
  },
  {
    row: 42,
    threat: 'Intent reused for a changed cart',
    shownBy: [
      [
        'e2e/stories/changed-cart.test.ts',
        'money for the cart as it was before never pays for the changed one',
      ],
    ],
  },
  {
    row: 43,
    threat: 'The browser is believed',
    shownBy: [
      [verify, 'only the very intent with the very money is paid'],
      ['e2e/stories/forged.test.ts', 'a forged pi-finish does not make an order paid'],
    ],
  },
  { row: 44, threat: 'Handoff as a tap for carders' },
  {
    row: 45,
    threat: 'Secret in URL, fragment, attribute or name',
    shownBy: [[`${element}/secret.test.ts`, 'the secret is in no URL, DOM, attribute']],
  },
  {
    row: 46,
    threat: 'Forged message',
    shownBy: [
      [`${element}/hostile.test.ts`, 'ten thousand messages from a sibling frame change nothing'],
      [`${element}/hostile.test.ts`, 'ten thousand messages from an opener change nothing'],
    ],
  },
  {
    row: 47,
    threat: 'Frame navigated elsewhere',
    shownBy: [
      [`${element}/protocol.test.ts`, 'a frame that is redirected to another origin after hello'],
    ],
  },
  {
    row: 48,
    threat: 'A message drives the shop page',
    shownBy: [
      [
        `${element}/hostile.test.ts`,
        'ten thousand malformed messages from the frame change nothing',
      ],
    ],
  },
  {
    row: 49,
    threat: 'A blocked frame looks loaded',
    shownBy: [
      [`${element}/failures.test.ts`, 'a frame that frame-ancestors forbids says unreachable'],
      [`${element}/failures.test.ts`, 'a page under COEP says unreachable'],
      [`${element}/protocol.test.ts`, 'the sixth hello in ten seconds ends the session'],
    ],
  },
  {
    row: 50,
    threat: 'Injected HTML aims the secret at another host',
    shownBy: [[`${element}/mounting.test.ts`, 'attributes and meta tags never name the host']],
  },
  {
    row: 51,
    threat: 'Script injected into the shop',
    shownBy: [
      [
        'packages/server/test/csp.test.ts',
        'cspFor builds the very policy that the security guide tells merchants to copy',
      ],
    ],
  },
  {
    row: 52,
    threat: 'A file on a content network is altered',
    shownBy: [[`${element}/bundle.test.ts`, 'the self-contained file imports nothing']],
  },
  {
    row: 53,
    threat: 'The element is moved in the middle of a payment',
    shownBy: [
      [`${element}/lifecycle.test.ts`, 'moveBefore keeps frame and state'],
      [`${element}/lifecycle.test.ts`, 'append and a later return bring a new frame'],
      [privateApi, 'twenty attempts at once make one charge'],
    ],
  },
  {
    row: 54,
    threat: 'The back/forward cache revives a card form',
    shownBy: [
      [`${element}/redirects.test.ts`, 'after Back a dead frame is replaced'],
      ['e2e/stories/back.test.ts', 'Back after paying shows the paid order'],
    ],
  },
  {
    row: 55,
    threat: 'Secret key passed in; session replay tools',
    shownBy: [[`${element}/secret.test.ts`, 'a secret API key is refused by a fixed text']],
  },
  {
    row: 56,
    threat: 'Clickjacking by any site',
    shownBy: [
      [page, 'an unknown id gets one error page for every Referer, without a look at origins'],
    ],
  },
  {
    row: 57,
    threat: 'Redress by an allowed parent',
    notDefended:
      'Only registered origins can frame the page, the form needs a typed card number, and a ' +
      'registered page could replace the form anyway. A guard of Pay also hit usual pages.',
  },
  {
    row: 58,
    threat: 'Cross-origin calls of the private API',
    shownBy: [[privateApi, 'other sites, other pages of this host and other names']],
  },
  {
    row: 59,
    threat: 'Token forged, confused or replayed',
    shownBy: [
      [privateApi, 'an open session stops working when '],
      [session, 'a token that '],
      [session, 'a token that was signed with a shared secret opens nothing'],
    ],
  },
  {
    row: 60,
    threat: 'Open redirect by return URL',
    shownBy: [
      [returnUrl, 'a redirect never returns to '],
      [challenge, 'a full-page challenge returns to registered origins alone'],
    ],
  },
  { row: 61, threat: 'The issuer page takes the top window' },
  {
    row: 62,
    threat: 'Forged challenge result',
    shownBy: [[challenge, 'a token opens one page once']],
  },
  {
    row: 63,
    threat: 'Double confirm',
    shownBy: [
      [privateApi, 'twenty attempts at once make one charge'],
      [privateApi, 'a confirm, a cancel and an expiry that race leave one end'],
    ],
  },
  {
    row: 64,
    threat: 'Card number stored or logged',
    shownBy: [
      [privateApi, 'no card number, security code, secret or session token is in the store'],
    ],
  },
  {
    row: 65,
    threat: 'Stored markup and bidi text',
    shownBy: [[safety, 'twelve hostile names and orders are shown as they are']],
  },
  {
    row: 66,
    threat: 'Carding on the hosted page',
    shownBy: [
      [privateApi, 'the tenth declined card ends the intent'],
      [privateApi, 'a stolen card ends the intent, in the words of a plain decline'],
      [rates, 'limits live confirmations by intent, by known address and by environment'],
    ],
  },
  {
    row: 67,
    threat: 'Storage in a third-party frame',
    shownBy: [[safety, 'the page keeps nothing where storage is ']],
  },
  {
    row: 68,
    threat: 'Bad dependency',
    notShown:
      'That a changed lockfile or an unlisted build script ends the install is pnpm’s own refusal (`--frozen-lockfile`, `allowBuilds`). An audit asks the registry, so it is no test: `pnpm audit --prod`.',
  },
  {
    row: 69,
    threat: 'A tarball leaks keys, maps or settings',
    shownBy: [[packed, ': the package holds its listed folders and nothing else']],
  },
  {
    row: 70,
    threat: 'Weak defaults',
    shownBy: [
      [cli, 'wrong options are refused with their rule and the fix'],
      [cli, 'an origin is registered exactly or refused with the rule'],
      ['packages/contract/test/origin.test.ts', ' is no origin'],
      [handoff, 'the handoff keys '],
      [configuration, 'the API key '],
    ],
  },
]
