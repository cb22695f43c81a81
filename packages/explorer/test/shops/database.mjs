// Shared by the processes of a shop. Each change is a new file that only one process can create, so nothing is half written.
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'

/** Returns a database in a folder. `change` runs its function again if another process was faster. */
export function openDatabase(folder, empty) {
  const fileOf = (number) => `${folder}/${number}.json`
  let number = 0
  const read = () => {
    while (existsSync(fileOf(number + 1))) number++
    return number === 0 ? structuredClone(empty) : JSON.parse(readFileSync(fileOf(number), 'utf8'))
  }
  const change = (edit) => {
    for (;;) {
      const data = read()
      const result = edit(data)
      const file = `${folder}/${process.pid}.new`
      writeFileSync(file, JSON.stringify(data))
      try {
        linkSync(file, fileOf(number + 1))
        return result
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      } finally {
        unlinkSync(file)
      }
    }
  }
  return { read, change }
}
