-- The server suspends API keys where it changes a role, so that no trigger does it unseen.
DROP TRIGGER workspace_members_demoted ON workspace_members;--> statement-breakpoint
DROP TRIGGER workspace_members_removed ON workspace_members;--> statement-breakpoint
DROP FUNCTION suspend_api_keys();--> statement-breakpoint
DROP FUNCTION notify_owners(uuid, text, jsonb);
