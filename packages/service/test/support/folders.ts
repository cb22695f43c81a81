/** Folders that a process cannot write. @module */
import { chmodSync } from 'node:fs'
import { temporaryFolder } from './lifetime.ts'

export const isRoot = process.getuid?.() === 0

/** Creates a folder that {@link asOtherUser} cannot write. */
export function readOnlyFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o555)
  return folder
}

/** File permissions do not apply to root, so it becomes another user in the meantime. */
export async function asOtherUser(work: () => Promise<void>): Promise<void> {
  if (isRoot) process.seteuid?.(65534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
