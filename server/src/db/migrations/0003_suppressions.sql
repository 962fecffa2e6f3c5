-- The statements that change suppressions count them, and those that change leads move suppressions along.
drop trigger suppressions_counted_delete on suppressions;
--> statement-breakpoint
drop trigger suppressions_counted_insert on suppressions;
--> statement-breakpoint
drop function count_suppressions();
--> statement-breakpoint
drop trigger leads_followed on leads;
--> statement-breakpoint
drop function follow_suppressed();
--> statement-breakpoint
delete from suppression_counts;
--> statement-breakpoint
insert into suppression_counts (workspace_id, count)
select workspace_id, count(*) from suppressions group by workspace_id;
