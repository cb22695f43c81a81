/** Runs a command on the store, also beside a service that uses it. @module */
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import { openStore } from '../start/open-store.ts'
import { type AdminCommand, type AdminResult, administer } from './admin-commands.ts'

export async function runAdminCommand(config: Config, command: AdminCommand): Promise<AdminResult> {
  if (config.store.kind === 'memory') {
    throw new SettingError(
      '--memory: not available for this command, because the change would be lost. Use --data or --database-url.',
    )
  }
  const store = await openStore(config)
  try {
    return await administer({ db: store.db, now: realNow }, command)
  } finally {
    await store.close()
  }
}
