-- The index of the keys leads with their hash, as no other does: in a new store, where nothing is known
-- of the tables yet, the planner could take the index of a whole environment for a single key.
alter table payment_intents drop constraint one_intent_per_key;
alter table payment_intents
  add constraint one_intent_per_key unique (idempotency_hash, environment_id);
