/**
 * The tests that do not run in WebKit. Its only interface here is WebDriver, which shows a test neither requests,
 * responses, nor the console, and changes none of them.
 *
 * @module
 */

/** What a test's file and title contain, and the reason. */
export const unable: readonly (readonly [tests: RegExp, reason: string])[] = [
  [/playground\.test|unregistered\.test/, 'They read the console.'],
  [/ the fake /, 'It takes the place of a response.'],
  [/payment that the shop has not retrieved/, 'It holds back a response.'],
  [/private API|preload\.test/, 'They wait for requests, or read responses.'],
  [
    /other-buyer\.test|lists exactly the headers|rejects .* in an order’s name|host name/,
    'The servers respond alike to each browser.',
  ],
  [/production\.soak/, 'It tests servers, and takes the most time of all.'],
  [/tabs pay at the same time/, 'WebDriver sends one command at a time.'],
  [
    /cookie-tossing/,
    'libsoup, unlike Safari, lets a sibling host set cookies whose names begin with `__Host-`.',
  ],
  [/screens\.test/, 'axe reads the same document in each browser.'],
  [/inside page ([6-9]|1\d) /, 'Five pages, with other decorations in each run, take enough time.'],
]
