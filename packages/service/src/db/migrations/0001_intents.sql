-- The whole store. No column holds a card number, a security code, a clientSecret, or an API key.

-- Which derivation keys wrote to this store, so that a start without one is refused.
create table secret_keys (
  kid text primary key check (kid ~ '^[a-z0-9]{1,8}$'),
  check_value bytea not null check (octet_length(check_value) = 32)
);

create table merchants (
  id text primary key,
  name text not null unique check (char_length(name) between 1 and 128),
  created_at timestamptz(3) not null
);

create table environments (
  id text primary key,
  merchant_id text not null references merchants on delete cascade,
  mode text not null check (mode in ('test', 'live')),
  allowed_origins text[] not null default '{}',
  clock_offset bigint not null default 0,
  -- Keys the hashes of idempotency keys and bodies. It never rotates: one index holds the promise.
  idempotency_salt bytea not null check (octet_length(idempotency_salt) = 32),
  created_at timestamptz(3) not null,
  unique (merchant_id, mode),
  check (mode = 'test' or clock_offset = 0)
);

create table api_keys (
  id text primary key,
  environment_id text not null references environments on delete cascade,
  hash bytea not null unique check (octet_length(hash) = 32),
  pepper_kid text not null,
  -- Prefix and last four characters: enough to tell keys apart.
  display text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);

-- One row for each intent. Columns are what the merchant sent and what statements ask about.
-- All times are those of the environment.
create table intents (
  id text collate "C" primary key,
  environment_id text collate "C" not null references environments on delete cascade,
  -- Increases with each write of `state`. A write compares it.
  revision integer not null default 1,
  -- Increases with each event. Buyers' pages see it.
  version integer not null default 1,
  status text not null default 'requires_payment_method' check (status in (
    'requires_payment_method', 'requires_action', 'processing',
    'succeeded', 'failed', 'canceled', 'expired')),
  amount bigint not null check (amount between 1 and 9007199254740991),
  currency text not null check (currency in ('AMD', 'USD', 'EUR', 'RUB')),
  order_id text not null check (char_length(order_id) between 1 and 32),
  -- json, not jsonb: the order of metadata is the merchant's.
  customer json,
  metadata json,
  secret_kid text not null,
  -- null: the secret is revoked.
  secret_salt bytea check (octet_length(secret_salt) = 16),
  -- Confirmations, events, and the open challenge. null: nothing has happened.
  state json,
  -- When time changes the intent next.
  due_at timestamptz(3),
  finalized_at timestamptz(3),
  created_at timestamptz(3) not null,
  key_hash bytea check (octet_length(key_hash) = 32),
  key_fingerprint bytea check (octet_length(key_fingerprint) = 32),
  key_expires_at timestamptz(3),
  check (num_nulls(key_hash, key_fingerprint, key_expires_at) in (0, 3)),
  -- The hash leads, as in no other index, so that a key is never searched in a whole environment.
  constraint one_intent_per_key unique (key_hash, environment_id)
);

-- Each environment has its own clock, so deadlines are found by environment and time.
create index intents_due on intents (environment_id, due_at) where due_at is not null;
create index intents_key_expiry on intents (environment_id, key_expires_at)
  where key_hash is not null;
-- Lists show the newest first. The oldest are deleted first.
create index intents_newest on intents (environment_id, created_at);
-- A search finds the intents of an order, however old they are.
create index intents_orders on intents (environment_id, order_id);
-- A start without a secret key asks whether an open intent or a replay needs it.
create index intents_active_secrets on intents (secret_kid)
  where key_hash is not null or finalized_at is null;
