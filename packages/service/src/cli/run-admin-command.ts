/** Runs a command in the service that uses the directory, or else on the store. @module */
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import { openStore } from '../start/open-store.ts'
import { type AdminCommand, type AdminResult, administer } from './admin-commands.ts'
import { sendAdminCommand } from './admin-socket.ts'

export async function runAdminCommand(config: Config, command: AdminCommand): Promise<AdminResult> {
  const { store } = config
  if (store.kind === 'memory') {
    throw new SettingError(
      '--memory: not available for this command, because the change would be lost. Use --data or --database-url.',
    )
  }
  const sent =
    store.kind === 'directory' ? await sendAdminCommand(store.directory, command) : undefined
  return sent ?? (await runHere(config, command))
}

async function runHere(config: Config, command: AdminCommand): Promise<AdminResult> {
  const store = await openStore(config)
  try {
    return await administer({ ...store, now: realNow }, command)
  } finally {
    await store.close()
  }
}
