-- The hash of every token that a challenge was given, so that a page which is opened again after its
-- token is spent can be shown where the first one was, and say that it is over.
create table challenge_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  challenge_id text collate "C" not null references challenges on delete cascade
);

create index challenge_tokens_of_challenge on challenge_tokens (challenge_id);

insert into challenge_tokens (token_hash, challenge_id)
select token_hash, id from challenges where token_hash is not null;
