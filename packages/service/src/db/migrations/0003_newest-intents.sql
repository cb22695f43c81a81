-- Lists show the newest intents of one environment first.
create index payment_intents_newest on payment_intents (environment_id, created_at);
