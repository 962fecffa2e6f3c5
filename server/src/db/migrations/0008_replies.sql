-- After a gap in X's deliveries, reads of before it must not let a follow-up leave.
alter table reply_watches add column missed_until timestamp (3) with time zone;
