-- A search finds the intents of an order, however old they are.
create index if not exists intents_orders on intents (environment_id, order_id);
