-- A merchant's page may have an address of 8,192 characters: a signature, a filter, a router's fragment.
alter table challenges
  drop constraint challenges_return_page_check,
  add constraint challenges_return_page_check check (char_length(return_page) <= 8192);
