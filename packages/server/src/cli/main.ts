/** The program `pi-checkout`. @module */
import { createInterface } from 'node:readline/promises'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  warn: (text) => console.error(text),
  hasColors: process.stdout.isTTY && !process.env.NO_COLOR,
  ask: process.stdin.isTTY ? ask : undefined,
})

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
