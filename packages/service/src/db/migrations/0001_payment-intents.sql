-- The whole store. An illegal state cannot be written: see the checks of payment_intents.
-- There is no column for a card number, a security code, a clientSecret or an API key.

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

create table payment_intents (
  id text collate "C" primary key,
  environment_id text collate "C" not null references environments on delete cascade,
  status text not null default 'requires_payment_method',
  version integer not null default 1 check (version >= 1),
  amount bigint not null check (amount between 1 and 9007199254740991),
  currency text not null check (currency in ('AMD', 'USD', 'EUR', 'RUB')),
  order_id text not null check (char_length(order_id) between 1 and 32),
  -- json, not jsonb: the order of metadata is the merchant's.
  customer json,
  metadata json,
  payment_method json,
  last_payment_failure json,
  next_action text check (next_action in ('challenge', 'redirect')),
  next_action_expires_at timestamptz(3),
  provider_payment_id text,
  -- What the provider has already decided and when it shows: {"at", "providerPaymentId"}.
  settlement json,
  confirms smallint not null default 0 check (confirms between 0 and 10),
  -- null: the secret is revoked.
  secret_salt bytea check (octet_length(secret_salt) = 16),
  secret_kid text not null,
  idempotency_hash bytea check (octet_length(idempotency_hash) = 32),
  idempotency_fingerprint bytea check (octet_length(idempotency_fingerprint) = 32),
  idempotency_expires_at timestamptz(3),
  expires_at timestamptz(3) not null,
  finalized_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint known_status check (status in (
    'requires_payment_method', 'requires_action', 'processing',
    'succeeded', 'failed', 'canceled', 'expired')),
  constraint state check (case status
    when 'requires_payment_method' then payment_method is null
    when 'requires_action' then payment_method is not null and last_payment_failure is null
    when 'processing' then payment_method is not null and last_payment_failure is null
    when 'succeeded' then payment_method is not null and last_payment_failure is null
    when 'failed' then last_payment_failure is not null
    else true end),
  constraint final_time check (
    (finalized_at is not null) = (status in ('succeeded', 'failed', 'canceled', 'expired'))),
  constraint action check (
    (next_action is not null) = (status = 'requires_action')
    and (next_action_expires_at is not null) = (status = 'requires_action')),
  constraint provider check ((provider_payment_id is not null) = (status = 'succeeded')),
  constraint settled_later check (settlement is null or status = 'processing'),
  constraint times check (updated_at >= created_at and expires_at > created_at),
  constraint idempotency check (
    num_nulls(idempotency_hash, idempotency_fingerprint, idempotency_expires_at) in (0, 3)),
  constraint one_intent_per_key unique (environment_id, idempotency_hash)
);

create index payment_intents_due on payment_intents (expires_at)
  where status in ('requires_payment_method', 'requires_action');
create index payment_intents_running on payment_intents (updated_at)
  where status in ('requires_action', 'processing');
create index payment_intents_keys_due on payment_intents (idempotency_expires_at)
  where idempotency_hash is not null;

-- One row per transition; the creation is the intent's own created_at.
create table intent_events (
  intent_id text collate "C" not null references payment_intents on delete cascade,
  version integer not null check (version >= 2),
  cause text not null,
  status text not null,
  created_at timestamptz(3) not null,
  primary key (intent_id, version)
);

create table payment_attempts (
  intent_id text collate "C" not null references payment_intents on delete cascade,
  -- Chosen by the hosted page: the same one again is the same confirmation again.
  attempt_id text collate "C" not null,
  state text not null check (state in ('challenge', 'processing', 'succeeded', 'failed', 'abandoned')),
  payment_method json not null,
  -- What the provider will answer; decided from the card in memory, which is then forgotten.
  outcome text not null,
  failure json,
  provider_payment_id text unique,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (intent_id, attempt_id),
  check ((provider_payment_id is not null) = (state = 'succeeded')),
  check ((failure is not null) = (state = 'failed'))
);

create unique index one_open_attempt on payment_attempts (intent_id)
  where state in ('challenge', 'processing');
create unique index one_success on payment_attempts (intent_id) where state = 'succeeded';

-- A stand-in issuer's question. It is open while its attempt is in 'challenge' and not expired.
create table challenges (
  id text collate "C" primary key,
  intent_id text collate "C" not null,
  attempt_id text collate "C" not null,
  presentation text not null check (presentation in ('frame', 'page')),
  -- SHA-256 of the one-time token of the next step; null once it is used up.
  token_hash bytea unique check (octet_length(token_hash) = 32),
  tries smallint not null default 0 check (tries between 0 and 3),
  -- Where the buyer goes back to; the merchant's own page, for the full-page variant.
  return_page text check (char_length(return_page) <= 2048),
  expires_at timestamptz(3) not null,
  closed_at timestamptz(3),
  created_at timestamptz(3) not null,
  foreign key (intent_id, attempt_id) references payment_attempts on delete cascade,
  unique (intent_id, attempt_id)
);
