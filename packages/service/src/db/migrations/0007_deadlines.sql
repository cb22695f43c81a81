-- Deadlines and idempotency keys are found by environment and time, because each environment has its own clock.
-- A cast to timestamptz is not immutable in general. It is for times that name their offset, as in a settlement.
create function instant(text) returns timestamptz
  language sql immutable strict parallel safe return $1::timestamptz;

create index payment_intents_deadline on payment_intents (environment_id, least(
    case when status <> 'processing' then expires_at end,
    next_action_expires_at,
    instant(settlement ->> 'at')))
  where status in ('requires_payment_method', 'requires_action', 'processing');
drop index payment_intents_due;
drop index payment_intents_running;

create index payment_intents_key_expiry on payment_intents (environment_id, idempotency_expires_at)
  where idempotency_hash is not null;
drop index payment_intents_keys_due;
