/** The program `pi-checkout`. @module */
import { run } from './run.ts'

const { exitCode, text } = await run(process.argv.slice(2))
process.exitCode = exitCode
if (exitCode === 2) console.error(text)
else console.log(text)
