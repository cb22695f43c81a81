/** `pi-checkout`: creates, shows, and explains Payment Intents from a terminal or a script. @module */
import { run } from './run.ts'

const controller = new AbortController()
// The first Ctrl-C aborts the call. The second ends the process.
process.once('SIGINT', () => controller.abort())
process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  warn: (text) => console.error(text),
  signal: controller.signal,
})
