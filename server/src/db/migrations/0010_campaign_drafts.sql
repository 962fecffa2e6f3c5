create table campaign_drafts (
  workspace_id uuid not null
    constraint campaign_drafts_workspace_id_workspaces_id_fk references workspaces (id) on delete cascade,
  user_id uuid not null,
  id uuid not null,
  version integer default 1 not null,
  fields jsonb not null,
  updated_at timestamp (3) with time zone default now() not null,
  constraint campaign_drafts_workspace_id_user_id_id_pk primary key (workspace_id, user_id, id),
  constraint campaign_drafts_member foreign key (workspace_id, user_id)
    references workspace_members (workspace_id, user_id) on delete cascade
);
--> statement-breakpoint
create index campaign_drafts_updated on campaign_drafts (updated_at);
