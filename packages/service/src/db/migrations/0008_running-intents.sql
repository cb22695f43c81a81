-- The inspector asks whether an intent can change without a request.
create index payment_intents_running on payment_intents (id)
  where status in ('requires_action', 'processing');
