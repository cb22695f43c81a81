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
  [/preload\.test/, 'It waits for requests, and reads responses.'],
  [/tabs pay at the same time/, 'WebDriver sends one command at a time.'],
  [/inside page ([6-9]|1\d) /, 'Five pages, with other decorations in each run, take enough time.'],
]
