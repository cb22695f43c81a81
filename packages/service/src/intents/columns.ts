/** Constant parts of statements that read intents. @module */
import { Fragment } from '../db/database.ts'

export const columns = new Fragment(`
  id, environment_id as "environmentId", revision, version, status, amount, currency,
  order_id as "orderId", customer, metadata, secret_kid as "secretKid",
  secret_salt as "secretSalt", state, finalized_at as "finalizedAt", created_at as "createdAt"`)

/**
 * A condition that holds. If a synchronous standby is configured, the transaction of a read ends only when the standby
 * has all that the read saw, because the message is part of it. A row can be visible before the standby has it: when
 * the primary restarts, or ends the connection that waits for the standby.
 */
export const replicated = new Fragment(`(
  select case when current_setting('synchronous_standby_names') = '' then true
    else pg_logical_emit_message(true, 'pi-checkout', 'read') is not null end)`)
