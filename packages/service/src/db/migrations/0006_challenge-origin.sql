-- Origin of the page around the checkout session that opened the challenge: once it is registered no
-- longer, the challenge is over. Null: opened by an earlier version.
alter table challenges add column origin text check (char_length(origin) <= 255);
