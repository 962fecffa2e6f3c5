-- The core notifies members in the transaction that changes a campaign's status.
drop trigger campaigns_notify on campaigns;
--> statement-breakpoint
drop function notify_of_campaign();
