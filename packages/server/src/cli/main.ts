/** The program `pi-checkout`. @module */
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  warn: (text) => console.error(text),
  hasColors: process.stdout.isTTY && !process.env.NO_COLOR,
})
