-- Existing leads have no `first_name_from`, by which the job `first-names` finds them.
alter table leads add column first_name text, add column first_name_from text;
--> statement-breakpoint
alter table leads alter column first_name_from set default 'name';
--> statement-breakpoint
create index leads_first_name_due on leads (workspace_id, id) where first_name_from is null;
